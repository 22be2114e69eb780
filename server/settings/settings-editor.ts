/**
 * Lists the settings and their sources for operators, and stores the settings that operators change.
 * (docs/spec/administration.md#changing-settings)
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../core/errors.js'
import { pageSettingsFile, formatPageSettings, mergePageSettings } from '../../core/settings/page-settings.js'
import {
  editableKeys,
  isMailServerSetting,
  mailPasswordKey,
  registrationKey,
  registrationModes,
  toRegistrationMode
} from '../../core/settings/editable.js'
import { settingsList, type Setting } from '../../core/settings/list.js'
import type { Origin, ReadSettings } from '../../core/settings/load.js'
import type { Settings } from '../../core/settings/settings.js'
import { listPublicSettings, type PublicSetting } from '../../core/settings/public-settings.js'
import { refuseParams, type Violation } from '../../core/validation/params.js'
import type { SettingsUpdate } from '../../schemas/configuration.js'
import { Layout } from '../../storage/files/layout.js'
import { writeFileAtomically } from '../../storage/files/private-files.js'
import { createInvitationTokens } from '../setup/setup-choices.js'
import type { SettingsSource } from '../setup/setup-service.js'

/** A setting as the page shows it. */
interface EditableSetting extends PublicSetting {
  readonly isEditable: boolean
  /** Where the value of the setting comes from; absent if it is the default. */
  readonly origin?: Origin
  /** The source that overrides the page, if the setting could otherwise be changed there. */
  readonly fixedBy?: Origin
  /** True if the stored value differs from the one in effect. */
  readonly isPending: boolean
  /** The permitted values, if they are listed. */
  readonly choices?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

export class SettingsEditor {
  /** Time of the start, in milliseconds since the Unix epoch. Clients detect a restart by it. */
  readonly started = Date.now()

  /** `current`: the settings with which the service was started. */
  constructor(
    private readonly source: SettingsSource,
    private readonly current: Settings
  ) {}

  /** Returns the stored settings without secrets, where each comes from, and whether it is in effect. */
  list(): object {
    const read = this.source.read()
    const settings = toEditable(read, this.current)
    return {
      version: this.#version(read),
      started: this.started,
      node: this.current.cluster.node === '' ? null : this.current.cluster.node,
      needsRestart: settings.some(({ isPending }) => isPending),
      settings
    }
  }

  /**
   * Stores changed settings, which take effect at the next start. Throws 409 if settings were stored since
   * `version`, and `invalid-parameters-format`, with all problems at once, for invalid values and settings that
   * cannot be changed here. Resolves with what {@link list} returns then.
   */
  async update({ values, version }: SettingsUpdate): Promise<object> {
    const { settings } = this.#applyChanges(version, values)
    const moreProblems = (await this.source.check?.(settings)) ?? []
    refuseProblems(moreProblems, values)
    // Nothing below is asynchronous: of two changes based on the same version, one is refused.
    const { pageSettings } = this.#applyChanges(version, values)
    writeFileAtomically(
      join(new Layout(this.current.dataDir).root, pageSettingsFile),
      formatPageSettings(pageSettings)
    )
    return this.list()
  }

  #applyChanges(version: string, values: SettingsUpdate['values']): ReadSettings {
    const stored = this.source.read()
    if (version !== this.#version(stored))
      throw new ApiError('invalid-operation', 'The settings have changed in the meantime. Read them again', {
        status: 409,
        data: { code: 'settings-changed' }
      })
    refuseFixed(stored, values)
    const read = this.source.read(mergePageSettings(stored.pageSettings, toChoices(stored, values)))
    refuseProblems(read.problems, values)
    return read
  }

  /**
   * Returns the version that a client has to send with a change. Each node of a cluster stores its own settings: a
   * client that has read the settings of one node cannot change those of another.
   */
  #version({ pageSettings }: ReadSettings): string {
    const text = JSON.stringify([this.current.cluster.node, pageSettings])
    return createHash('sha256').update(text).digest('base64url').slice(0, 22)
  }
}

/**
 * Lists all settings as the page shows them: value, source, limits, and whether they can be edited or wait for a
 * restart.
 */
function toEditable({ origins, settings }: ReadSettings, current: Settings): EditableSetting[] {
  const publicSettings = listPublicSettings(settings)
  return settingsList.map((setting, index) => {
    const { key } = setting
    const isEditable = editableKeys.includes(key)
    const origin = origins.get(key)
    const fixedBy = isEditable ? findFixed(origins, key) : undefined
    const isPending =
      isEditable && !isDeepStrictEqual(getValue(current, setting), getValue(settings, setting))
    return {
      ...publicSettings[index]!,
      ...(isEditable && getConstraints(setting)),
      ...(key === registrationKey && {
        value: toRegistrationMode(settings.registration),
        choices: registrationModes
      }),
      isEditable: isEditable && !fixedBy,
      isPending,
      ...(origin && { origin }),
      ...(fixedBy && { fixedBy })
    }
  })
}

/** Returns the source that overrides the page for a setting. One that sets the mail password also fixes its server. */
function findFixed(origins: ReadSettings['origins'], key: string): Origin | undefined {
  const candidates = [key, ...(isMailServerSetting(key) ? [mailPasswordKey] : [])]
  return candidates.map(each => origins.get(each)).find(origin => origin && origin.kind !== 'page')
}

/** Returns the choices and limits in the schema of a setting. */
function getConstraints({ schema }: Setting): Partial<EditableSetting> {
  const {
    enum: choices,
    maximum,
    minimum
  } = schema as {
    enum?: readonly unknown[]
    maximum?: number
    minimum?: number
  }
  return {
    ...(choices && { choices }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum })
  }
}

function getValue(settings: Settings, { path }: Setting): unknown {
  return path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], settings)
}

/** Throws, with all problems at once, for keys that are unknown or cannot be changed here. */
function refuseFixed({ origins }: ReadSettings, values: SettingsUpdate['values']): void {
  const problems = Object.keys(values).flatMap((key): Violation[] => {
    const refuse = (code: string, message: string): Violation[] => [
      { code, message, path: `#/values/${key}`, param: key }
    ]
    if (!settingsList.some(each => each.key === key))
      return refuse('unknown-setting', `Unknown setting "${key}"`)
    if (!editableKeys.includes(key))
      return refuse('setting-not-editable', `The setting ${key} cannot be changed here`)
    const fixed = findFixed(origins, key)
    return fixed ? refuse('setting-fixed', `The setting ${key} is set by ${fixed.source}`) : []
  })
  if (problems.length > 0) refuseParams(problems)
}

/** Throws an error that names all problems, if there are any. */
function refuseProblems(problems: readonly string[], values: SettingsUpdate['values']): void {
  if (problems.length === 0) return
  refuseParams(
    problems.map(message => {
      const key = Object.keys(values).find(each => message.startsWith(`${each} `))
      if (key === undefined) return { code: 'setting-invalid', message, path: '#/values' }
      const text = message.replace(`${key} (${pageSettingsFile}) `, '')
      return { code: 'setting-invalid', message: text, path: `#/values/${key}`, param: key }
    })
  )
}

/** Returns the settings to store. Throws for an unknown registration mode. */
function toChoices(
  { origins, settings }: ReadSettings,
  values: SettingsUpdate['values']
): Map<string, unknown> {
  const choices = new Map<string, unknown>()
  for (const [key, value] of Object.entries(values)) choices.set(key, value ?? undefined)
  const mode = choices.get(registrationKey)
  if (mode !== undefined) {
    if (!registrationModes.some(each => each === mode))
      refuseProblems([`${registrationKey} must be one of ${registrationModes.join(', ')}`], values)
    // If the mode is unchanged, existing tokens remain valid.
    if (mode === toRegistrationMode(settings.registration)) choices.delete(registrationKey)
    else choices.set(registrationKey, createInvitationTokens(mode))
  }
  // A password is never sent to a server other than the one it was set for.
  const isServerChanged = settingsList.some(
    setting =>
      isMailServerSetting(setting.key) &&
      choices.has(setting.key) &&
      !isDeepStrictEqual(choices.get(setting.key) ?? setting.defaultValue, getValue(settings, setting))
  )
  if (isServerChanged && !choices.has(mailPasswordKey) && origins.has(mailPasswordKey))
    choices.set(mailPasswordKey, undefined)
  return choices
}
