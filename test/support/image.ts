/** Builds the last stage of a Dockerfile in a bare system, for the instructions that ours uses. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import type { BareSystem } from './bare.js'

/** How to start a container of an image. */
export interface Image {
  readonly env: Readonly<Record<string, string>>
  readonly user: string | undefined
  readonly folder: string
  readonly command: readonly string[]
  readonly health: readonly string[]
  readonly volumes: readonly string[]
}

/** Returns the instructions of the last stage: the keyword of each, and its arguments. */
function lastStage(text: string): [kind: string, rest: string][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map((line): [string, string] => {
      const [kind = '', ...rest] = line.split(' ')
      return [kind, rest.join(' ').trim()]
    })
  return lines.slice(lines.findLastIndex(([kind]) => kind === 'FROM') + 1)
}

/** Executes a Dockerfile. `built`: output of earlier stages, by its path there. Throws on unknown instructions. */
export function makeImage(system: BareSystem, text: string, built: Readonly<Record<string, string>>): Image {
  let env: Record<string, string> = {}
  let user: string | undefined
  let folder = '/'
  let command: string[] = []
  let health: string[] = []
  let volumes: string[] = []
  for (const [kind, rest] of lastStage(text)) {
    if (kind === 'COPY') {
      const [, source = '', target = ''] = /^--from=\w+ (\S+) (\S+)$/.exec(rest) ?? []
      system.add(built[source]!, target)
    } else if (kind === 'RUN') {
      const { output, status } = system.run(['/bin/sh', '-c', rest], env, user && idsOf(system, user))
      if (status !== 0) throw new Error(`RUN ${rest}: ${output}`)
    } else if (kind === 'ENV')
      env = {
        ...env,
        ...Object.fromEntries(rest.split(' ').map(part => part.split('=') as [string, string]))
      }
    else if (kind === 'USER') user = rest
    else if (kind === 'WORKDIR') {
      folder = rest
      mkdirSync(system.at(rest), { recursive: true })
    } else if (kind === 'VOLUME') volumes = rest.split(' ')
    else if (kind === 'CMD') command = JSON.parse(rest) as string[]
    else if (kind === 'HEALTHCHECK') health = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4)) as string[]
    else if (kind !== 'EXPOSE' && kind !== 'STOPSIGNAL') throw new Error(`unknown: ${kind} ${rest}`)
  }
  return { env, folder, command, health, volumes, user: user && idsOf(system, user) }
}

/** Returns the user and group of a name, in the form that `chroot` takes. */
function idsOf(system: BareSystem, name: string): string {
  const line = execFileSync('grep', [`^${name}:`, system.at('/etc/passwd')], { encoding: 'utf8' })
  const [, , uid, gid] = line.split(':')
  return `${uid}:${gid}`
}
