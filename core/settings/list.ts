/** A flat list of all settings, with their names in a file, in the environment and as a flag. */
import type { TSchema } from 'typebox'
import { Settings } from './settings.js'

export interface Setting {
  /** `auth.trustedApps`: its name in files and, after `--`, as a flag. */
  readonly key: string
  readonly path: readonly string[]
  /** `COFFER_AUTH_TRUSTED_APPS`. */
  readonly variable: string
  readonly schema: TSchema
  readonly standard: unknown
  readonly description: string
  /** Whether its value must never be shown: its schema says so. */
  readonly isSecret: boolean
  /** Whether it is a URL in whose path or query a secret may stand. */
  readonly showsHostOnly: boolean
}

interface Group {
  readonly secret?: boolean
  readonly showsHostOnly?: boolean
  readonly properties?: Readonly<Record<string, TSchema & Group>>
  readonly default?: unknown
  readonly description?: string
}

/** All settings, in the order of the schema. */
export const settingsList: readonly Setting[] = listOf(Settings, [])

/** The settings as a Markdown page: a heading and a table for each group, ungrouped ones first. */
export function settingsPage(): string {
  const groups = new Map<string, Setting[]>()
  for (const setting of settingsList) {
    const name = setting.path.length === 1 ? 'General' : setting.path[0]!
    groups.set(name, [...(groups.get(name) ?? []), setting])
  }
  return Array.from(groups, ([name, settings]) => `## ${name}\n\n${tableOf(settings)}`).join('\n\n')
}

/** The settings in whose name or meaning a word stands, as lines of text, for a terminal. */
export function settingsHelp(word = ''): string {
  const wanted = word.toLowerCase()
  const found = settingsList.filter(({ key, description }) =>
    `${key} ${description}`.toLowerCase().includes(wanted)
  )
  const width = Math.max(...found.map(({ key }) => key.length))
  return found
    .map(
      ({ key, standard, description }) =>
        `  --${key.padEnd(width)}  ${description} [${JSON.stringify(standard)}]`
    )
    .join('\n')
}

function tableOf(settings: readonly Setting[]): string {
  const rows = settings.map(
    ({ key, standard, description }) =>
      `| \`${key}\` | \`${JSON.stringify(standard)}\` | ${description.replaceAll('|', '\\|')} |`
  )
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

function listOf(group: Group, above: readonly string[]): Setting[] {
  return Object.entries(group.properties ?? {}).flatMap(([name, schema]) => {
    const path = [...above, name]
    if (schema.properties) return listOf(schema, path)
    const { default: standard, description = '', secret: isSecret = false, showsHostOnly = false } = schema
    const key = path.join('.')
    const variable = variableOf(path)
    return [{ key, path, variable, schema, standard, description, isSecret, showsHostOnly }]
  })
}

/** `['storage', 'cacheKiB']` → `COFFER_STORAGE_CACHE_KIB`. */
function variableOf(path: readonly string[]): string {
  const words = path.map(name => name.replace('KiB', 'Kib').replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2'))
  return ['COFFER', ...words].join('_').toUpperCase()
}
