/** Shows operators the settings with their sources, and keeps those that they change. (docs/spec/administration.md#changing-settings) */
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
import { writeFileAtomically } from '../../storage/files/setup-link.js'
import { tokensFor } from '../setup/choices.js'
import type { SettingsSource } from '../setup/setup-service.js'

/** A setting as the page shows it. */
interface EditableSetting extends PublicSetting {
  readonly isEditable: boolean
  /** Where its value comes from; absent if it is the default. */
  readonly origin?: Origin
  /** What decides instead of the page, where it could be changed there otherwise. */
  readonly fixedBy?: Origin
  /** Whether the value that is kept differs from the one in force. */
  readonly isPending: boolean
  /** The values to choose from, where there are few. */
  readonly choices?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

export class SettingsEditor {
  /** Tells one start from the next, in milliseconds. */
  readonly started = Date.now()

  /** `inForce`: the settings with which the service has been started. */
  constructor(
    private readonly source: SettingsSource,
    private readonly inForce: Settings
  ) {}

  /** Returns the settings that are kept, where each comes from, and whether they are in force. No secrets. */
  list(): object {
    const read = this.source.read()
    const settings = toEditable(read, this.inForce)
    return {
      version: this.#version(read),
      started: this.started,
      node: this.inForce.cluster.node === '' ? null : this.inForce.cluster.node,
      needsRestart: settings.some(({ isPending }) => isPending),
      settings
    }
  }

  /**
   * Keeps changed settings, which count from the next start. Throws 409 if others were kept since `version`, and
   * `invalid-parameters-format`, with all problems at once, for what cannot be a setting, or cannot be changed here.
   */
  async update({ values, version }: SettingsUpdate): Promise<object> {
    const { settings } = this.#changed(version, values)
    const further = (await this.source.check?.(settings)) ?? []
    refuseProblems(further, values)
    // Nothing below waits: of two changes that are based on the same version, one is refused.
    const { pageSettings } = this.#changed(version, values)
    writeFileAtomically(
      join(new Layout(this.inForce.dataDir).root, pageSettingsFile),
      formatPageSettings(pageSettings)
    )
    return this.list()
  }

  #changed(version: string, values: SettingsUpdate['values']): ReadSettings {
    const present = this.source.read()
    if (version !== this.#version(present))
      throw new ApiError('invalid-operation', 'The settings have changed in the meantime. Read them again', {
        status: 409,
        data: { code: 'settings-changed' }
      })
    refuseFixed(present, values)
    const read = this.source.read(mergePageSettings(present.pageSettings, toChoices(present, values)))
    refuseProblems(read.problems, values)
    return read
  }

  /** Of a cluster each node keeps its own: what was read from one node cannot be changed on another. */
  #version({ pageSettings }: ReadSettings): string {
    const text = JSON.stringify([this.inForce.cluster.node, pageSettings])
    return createHash('sha256').update(text).digest('base64url').slice(0, 22)
  }
}

function toEditable({ origins, settings }: ReadSettings, inForce: Settings): EditableSetting[] {
  const kept = listPublicSettings(settings)
  return settingsList.map((setting, at) => {
    const { key } = setting
    const isEditable = editableKeys.includes(key)
    const origin = origins.get(key)
    const fixedBy = isEditable ? findFixed(origins, key) : undefined
    const isPending = isEditable && !isDeepStrictEqual(valueIn(inForce, setting), valueIn(settings, setting))
    return {
      ...kept[at]!,
      ...(isEditable && boundsOf(setting)),
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

/** Returns what decides on a setting instead of the page. A password that is given belongs to the server given with it. */
function findFixed(origins: ReadSettings['origins'], key: string): Origin | undefined {
  const given = [key, ...(isMailServerSetting(key) ? [mailPasswordKey] : [])].map(each => origins.get(each))
  return given.find(origin => origin && origin.kind !== 'page')
}

function boundsOf({ schema }: Setting): Partial<EditableSetting> {
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

function valueIn(settings: Settings, { path }: Setting): unknown {
  return path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], settings)
}

/** Throws, with all of them at once, if keys are no settings, or none that can be changed here. */
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

/** Throws, with all of them at once, if there are problems with settings. */
function refuseProblems(problems: readonly string[], values: SettingsUpdate['values']): void {
  if (problems.length === 0) return
  refuseParams(
    problems.map(message => {
      const key = Object.keys(values).find(each => message.startsWith(`${each} `))
      if (key === undefined) return { code: 'setting-invalid', message, path: '#/values' }
      const own = message.replace(`${key} (${pageSettingsFile}) `, '')
      return { code: 'setting-invalid', message: own, path: `#/values/${key}`, param: key }
    })
  )
}

/** Returns what has to be kept. Throws for a mode of registration that there is not. */
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
    // Tokens that are in force stay good.
    if (mode === toRegistrationMode(settings.registration)) choices.delete(registrationKey)
    else choices.set(registrationKey, tokensFor(mode))
  }
  // Whoever names another server does not get the password of the former one.
  const namesServer = settingsList.some(
    setting =>
      isMailServerSetting(setting.key) &&
      choices.has(setting.key) &&
      !isDeepStrictEqual(choices.get(setting.key) ?? setting.defaultValue, valueIn(settings, setting))
  )
  if (namesServer && !choices.has(mailPasswordKey) && origins.has(mailPasswordKey))
    choices.set(mailPasswordKey, undefined)
  return choices
}
