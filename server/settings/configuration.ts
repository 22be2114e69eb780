/** What operators have the process do: change settings, make a backup, start again. Each is recorded among their deeds. (docs/spec/administration.md#activity-log) */
import { toApiError } from '../../core/call/outcome.js'
import { ApiError, fail } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { Settings } from '../../core/settings/settings.js'
import type { Clock } from '../../core/time.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Configuration, Operator } from '../../transports/http/pages/operator.js'
import type { SettingsSource } from '../setup/setup-service.js'
import { SettingsEditor } from './editor.js'

interface Parts {
  readonly source: SettingsSource
  /** The settings with which the service has been started. */
  readonly settings: Settings
  readonly platform: PlatformStore
  readonly clock: Clock
  readonly log: Log
}

/** Returns what the routes of operators call. */
export function createConfiguration({ clock, log, platform, settings, source }: Parts): Configuration {
  const editor = new SettingsEditor(source, settings)
  const record = async (
    deed: { method: string; detail: object },
    operator: Operator,
    error: string | null
  ) => {
    const { ip, username } = operator
    const id = username === undefined ? null : (platform.find(username)?.id ?? null)
    try {
      const { detail, method } = deed
      await platform.change('addDeed', {
        time: Math.floor(clock.now()),
        method,
        operator: id,
        target: null,
        detail: { ...detail },
        error,
        ip
      })
    } catch (cause) {
      // It has been done: to say that it failed would be wrong.
      log.error('an action of an operator could not be recorded', { method: deed.method, cause })
    }
  }
  const recorded = async (
    operator: Operator,
    deed: { method: string; detail: object },
    work: () => Promise<object> | object
  ): Promise<object> => {
    try {
      const result = await work()
      await record(deed, operator, null)
      return result
    } catch (error) {
      await record({ ...deed, detail: {} }, operator, toApiError(error).id)
      throw error
    }
  }
  return {
    list: () => editor.list(),
    update: async (operator, params) =>
      await recorded(
        operator,
        { method: 'system.updateSettings', detail: { settings: Object.keys(params.values) } },
        async () => await editor.update(params)
      ),
    startBackup: async operator =>
      await recorded(operator, { method: 'system.startBackup', detail: {} }, () => {
        if (settings.backup.to === '')
          fail('invalid-operation', 'The setting backup.to is empty. Set a destination for backups first')
        if (settings.cluster.node !== '')
          fail(
            'invalid-operation',
            'In a cluster, the nodes decide which one makes backups. Run "coffer backup" instead',
            {
              code: 'backup-in-cluster'
            }
          )
        if (source.startBackup?.() !== true)
          throw new ApiError('invalid-operation', 'A backup is already in progress', {
            status: 409,
            data: { code: 'backup-running' }
          })
        return { isRunning: true }
      }),
    restart: async operator =>
      await recorded(operator, { method: 'system.restart', detail: {} }, () => {
        // The answer is on its way by then; those under way are waited for.
        setImmediate(() => source.restart())
        return { started: editor.started }
      })
  }
}
