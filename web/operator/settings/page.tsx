/** The settings page: editable settings, the restart that some need, and a list of all with their sources. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Alert, Form } from '../../parts/form.js'
import { useOperatorClient, useResource, type OperatorClient } from '../operator-client.js'
import { listChanges, SettingField } from './fields.js'
import { SettingsList } from './list.js'
import type { Configuration, Setting } from './model.js'
import './style.css'

/** Groups of settings with the prefixes of their keys. */
const groups = [
  ['service', ['service.']],
  ['accounts', ['registration.', 'userAccount.', 'auth.']],
  ['limits', ['quota.', 'uploads.']],
  ['mail', ['services.email.']],
  ['alarms', ['alarms.']],
  ['backup', ['backup.']],
  ['log', ['log.']]
] as const

/** Milliseconds between attempts to reach a restarting service, and the maximum duration of a restart. */
const retryMs = 500
const restartMs = 60_000

/** Shows the settings that can be changed here, then all settings. */
export function SettingsPage() {
  const { reload, problem, value } = useResource<{ configuration: Configuration }>('configuration')
  const [changed, setChanged] = useState<Configuration>()
  const [attempt, setAttempt] = useState(0)
  const [status, setStatus] = useState('')
  const configuration = changed ?? value?.configuration
  const discard = (): void => {
    setChanged(undefined)
    setStatus('')
    setAttempt(attempt + 1)
    reload()
  }
  return (
    <>
      <section aria-labelledby="settings">
        <h2 id="settings">{t('operator.settings')}</h2>
        <p class="hint">{t('settings.lead')}</p>
        {problem !== undefined && <Alert>{problem}</Alert>}
        {typeof configuration?.node === 'string' && (
          <p class="notice">{t('settings.node', { node: configuration.node })}</p>
        )}
        {configuration && (
          <SettingsForm
            key={`${attempt} ${configuration.version} ${value?.configuration.version}`}
            configuration={configuration}
            onDiscard={discard}
            onSaved={(saved, message) => {
              if (saved) setChanged(saved)
              setStatus(message)
            }}
          />
        )}
        <div role="status">{status !== '' && <p class="notice">{status}</p>}</div>
        {configuration?.needsRestart === true && <Restart started={configuration.started} onDone={discard} />}
      </section>
      {configuration && <SettingsList settings={configuration.settings} />}
    </>
  )
}

interface FormProps {
  readonly configuration: Configuration
  readonly onDiscard: () => void
  readonly onSaved: (saved: Configuration | undefined, message: string) => void
}

/** Edits the settings, and stores those that have changed. */
function SettingsForm({ configuration, onDiscard, onSaved }: FormProps) {
  const client = useOperatorClient()
  const { settings, version } = configuration
  const shown = settings.filter(({ fixedBy, isEditable }) => isEditable || fixedBy !== undefined)
  return (
    <Form
      action={t('settings.save')}
      others={
        <button type="button" class="button" onClick={onDiscard}>
          {t('settings.reload')}
        </button>
      }
      onSubmit={async entered => {
        const values = listChanges(shown, entered)
        if (Object.keys(values).length === 0) return onSaved(undefined, t('settings.unchanged'))
        const saved = await client.call<{ configuration: Configuration }>('PATCH', 'configuration', {
          version,
          values
        })
        return onSaved(saved.configuration, t('settings.saved'))
      }}
    >
      {groups.map(([name, prefixes]) => (
        <Group
          key={name}
          title={t(`settings.group.${name}`)}
          settings={shown.filter(createPrefixFilter(prefixes))}
        />
      ))}
    </Form>
  )
}

function Group({ settings, title }: { readonly title: string; readonly settings: readonly Setting[] }) {
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      <div class="fields">
        {settings.map(setting => (
          <SettingField key={setting.key} setting={setting} />
        ))}
      </div>
    </fieldset>
  )
}

/** Restarts the service, and waits until it is back; says so if it does not come back. */
function Restart({ onDone, started }: { readonly started: number; readonly onDone: () => void }) {
  const client = useOperatorClient()
  const [hasTimedOut, setTimedOut] = useState(false)
  const [isRunning, setRunning] = useState(false)
  return (
    <div class="notice">
      <p>{t(isRunning ? 'settings.restarting' : 'settings.pending')}</p>
      <Action
        onClick={async () => {
          await client.call('POST', 'restart', {})
          setRunning(true)
          const hasRestarted = await waitForRestart(client, started)
          setRunning(false)
          if (!hasRestarted) return setTimedOut(true)
          // The rest of the page shows the old settings. The key would be lost by reloading.
          if (client.username === undefined) onDone()
          else location.reload()
          return undefined
        }}
      >
        {t('settings.restart')}
      </Action>
      {hasTimedOut && <Alert>{t('settings.notBack')}</Alert>}
    </div>
  )
}

/**
 * Waits for a restart of the service. Resolves with false if it takes too long. `started`: when the former
 * process started.
 */
async function waitForRestart(client: OperatorClient, started: number): Promise<boolean> {
  const endMs = performance.now() + restartMs
  while (performance.now() < endMs) {
    await new Promise(resolve => setTimeout(resolve, retryMs))
    const result = await client
      .call<{ configuration: Configuration }>('GET', 'configuration')
      .catch(() => undefined)
    if (result && result.configuration.started !== started) return true
  }
  return false
}

function createPrefixFilter(prefixes: readonly string[]) {
  return ({ key }: Setting): boolean => prefixes.some(each => key.startsWith(each))
}
