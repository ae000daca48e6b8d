// The confirmation of an action that cannot be undone: the user types a text.

type Props = {
  readonly text: string
  readonly value: string
  readonly onValue: (value: string) => void
}

export const Typed = ({ text, value, onValue }: Props) => (
  <label>
    Type <code>{text}</code> to confirm. <span class="hint">This can't be undone</span>
    <input
      required
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={(event) => {
        const { value: typed } = event.currentTarget
        onValue(typed.trim() === text.trim() ? text : typed) // spaces around the text are invisible
      }}
    />
  </label>
)
