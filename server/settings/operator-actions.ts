/** Actions of operators on the process: changing settings, starting a backup, restarting. Each is recorded in the activity log. (docs/spec/administration.md#activity-log) */
import { toApiError } from '../../core/call/outcome.js'
import { ApiError, fail } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { Settings } from '../../core/settings/settings.js'
import type { Clock } from '../../core/time.js'
import type { PlatformStore } from '../../storage/platform/platform-store.js'
import type { OperatorActions, Operator } from '../../transports/http/pages/operator.js'
import type { SettingsSource } from '../setup/setup-service.js'
import { SettingsEditor } from './settings-editor.js'

interface OperatorActionsOptions {
  readonly source: SettingsSource
  /** The settings with which the service was started. */
  readonly settings: Settings
  readonly platform: PlatformStore
  readonly clock: Clock
  readonly log: Log
}

/**
 * Returns the actions that the operators' routes call. Each action except listing is recorded with its
 * operator, also if it fails.
 */
export function createOperatorActions({
  clock,
  log,
  platform,
  settings,
  source
}: OperatorActionsOptions): OperatorActions {
  const editor = new SettingsEditor(source, settings)
  const record = async (
    action: { method: string; detail: object },
    operator: Operator,
    error: string | null
  ) => {
    const { ip, username } = operator
    const id = username === undefined ? null : (platform.find(username)?.id ?? null)
    try {
      const { detail, method } = action
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
      // The action itself has succeeded, so the error is only logged.
      log.error('an action of an operator could not be recorded', { method: action.method, cause })
    }
  }
  const runRecorded = async (
    operator: Operator,
    action: { method: string; detail: object },
    work: () => Promise<object> | object
  ): Promise<object> => {
    try {
      const result = await work()
      await record(action, operator, null)
      return result
    } catch (error) {
      await record({ ...action, detail: {} }, operator, toApiError(error).id)
      throw error
    }
  }
  return {
    listSettings: () => editor.list(),
    updateSettings: async (operator, params) =>
      await runRecorded(
        operator,
        { method: 'system.updateSettings', detail: { settings: Object.keys(params.values) } },
        async () => await editor.update(params)
      ),
    startBackup: async operator =>
      await runRecorded(operator, { method: 'system.startBackup', detail: {} }, () => {
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
      await runRecorded(operator, { method: 'system.restart', detail: {} }, () => {
        // After the response has been passed to the socket; calls in progress finish first.
        setImmediate(() => source.restart())
        return { started: editor.started }
      })
  }
}
