// The confirmation of what cannot be undone: a text that the user types.

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
        onValue(typed.trim() === text.trim() ? text : typed) // a space at the end is not seen
      }}
    />
  </label>
)
