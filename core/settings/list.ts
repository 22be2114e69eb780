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
  readonly defaultValue: unknown
  readonly description: string
  /** Whether the value of the setting must never be shown, as its schema says. */
  readonly isSecret: boolean
  /** Whether the value is a URL whose path or query may hold a secret. */
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
export const settingsList: readonly Setting[] = listSettings(Settings, [])

/** Formats the settings as a Markdown page: a heading and a table for each group, ungrouped ones first. */
export function formatSettingsPage(): string {
  const groups = new Map<string, Setting[]>()
  for (const setting of settingsList) {
    const name = setting.path.length === 1 ? 'General' : setting.path[0]!
    groups.set(name, [...(groups.get(name) ?? []), setting])
  }
  return Array.from(groups, ([name, settings]) => `## ${name}\n\n${formatTable(settings)}`).join('\n\n')
}

/**
 * Formats the settings whose name or description contains a word, all without one, as lines for a terminal.
 */
export function formatSettingsHelp(word = ''): string {
  const wanted = word.toLowerCase()
  const found = settingsList.filter(({ key, description }) =>
    `${key} ${description}`.toLowerCase().includes(wanted)
  )
  const width = Math.max(...found.map(({ key }) => key.length))
  return found
    .map(
      ({ key, defaultValue, description }) =>
        `  --${key.padEnd(width)}  ${description} [${JSON.stringify(defaultValue)}]`
    )
    .join('\n')
}

function formatTable(settings: readonly Setting[]): string {
  const rows = settings.map(
    ({ key, defaultValue, description }) =>
      `| \`${key}\` | \`${JSON.stringify(defaultValue)}\` | ${description.replaceAll('|', '\\|')} |`
  )
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Returns the settings in a group and in those below it. */
function listSettings(group: Group, parentPath: readonly string[]): Setting[] {
  return Object.entries(group.properties ?? {}).flatMap(([name, schema]) => {
    const path = [...parentPath, name]
    if (schema.properties) return listSettings(schema, path)
    const {
      default: defaultValue,
      description = '',
      secret: isSecret = false,
      showsHostOnly = false
    } = schema
    const key = path.join('.')
    const variable = toVariableName(path)
    return [{ key, path, variable, schema, defaultValue, description, isSecret, showsHostOnly }]
  })
}

/** Converts `['storage', 'cacheKiB']` to `COFFER_STORAGE_CACHE_KIB`. */
export function toVariableName(path: readonly string[]): string {
  const words = path.map(name => name.replace('KiB', 'Kib').replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2'))
  return ['COFFER', ...words].join('_').toUpperCase()
}
