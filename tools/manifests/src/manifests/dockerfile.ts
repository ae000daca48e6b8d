// Reads the Dockerfile features that this project uses: stages, their instructions, and the effect of ENV, USER,
// WORKDIR, EXPOSE, CMD and HEALTHCHECK along FROM. No heredocs and no ARG.

export type Step = { instruction: string; flags: Record<string, string>; text: string }
export type Stage = { name: string; from: string; steps: Step[] }

export type ImageConfig = {
  /** The outside image on which the stage is based. */
  base: string
  env: Record<string, string>
  user: string
  workdir: string
  ports: number[]
  command: string[]
  healthCommand: string[]
}

export function readDockerfile(text: string): Stage[] {
  const stages: Stage[] = []
  for (const line of logicalLines(text)) {
    const [, instruction = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? []
    if (instruction === 'FROM') {
      const [from = '', , name = ''] = rest.split(/\s+/)
      stages.push({ name, from, steps: [] })
    } else stages.at(-1)?.steps.push(stepOf(instruction, rest))
  }
  return stages
}

function stepOf(instruction: string, rest: string): Step {
  const flags: Record<string, string> = {}
  let text = rest
  for (;;) {
    const [whole, name, value] = /^--([\w-]+)=(\S+)\s+/.exec(text) ?? []
    if (whole === undefined || name === undefined || value === undefined) break
    flags[name] = value
    text = text.slice(whole.length)
  }
  return { instruction, flags, text }
}

function logicalLines(text: string): string[] {
  const kept = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line))
  return kept.join('\n').replaceAll('\\\n', ' ').split('\n')
}

export function stageOf(stages: readonly Stage[], name: string): Stage {
  const stage = stages.find((each) => each.name === name)
  if (stage === undefined) throw new Error(`the Dockerfile has no stage ${name}`)
  return stage
}

export function configOf(stages: readonly Stage[], name: string): ImageConfig {
  const stage = stageOf(stages, name)
  const parent = stages.find((each) => each.name === stage.from)
  const config: ImageConfig = parent
    ? configOf(stages, parent.name)
    : {
        base: stage.from,
        env: {},
        user: 'root',
        workdir: '/',
        ports: [],
        command: [],
        healthCommand: [],
      }
  for (const step of stage.steps) applyTo(config, step)
  return config
}

function applyTo(config: ImageConfig, { instruction, text }: Step): void {
  if (instruction === 'ENV') {
    for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) config.env[key] = value
  }
  if (instruction === 'USER') config.user = text
  if (instruction === 'WORKDIR') config.workdir = text
  if (instruction === 'EXPOSE') config.ports = text.split(/\s+/).map(Number)
  if (instruction === 'CMD') config.command = words(text)
  if (instruction === 'HEALTHCHECK') config.healthCommand = words(text.replace(/^.*?CMD\s+/, ''))
}

/** Returns the words of an instruction in exec form; none for another form. */
function words(text: string): string[] {
  if (!text.startsWith('[')) return []
  const list: unknown = JSON.parse(text)
  return Array.isArray(list) ? list.map(String) : []
}
