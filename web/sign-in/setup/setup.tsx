/** Sets up the service with the setup link: an operator account, and the main settings. */
import './style.css'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { callRoute, Refusal } from '../../api.js'
import { getLanguage, rich, t } from '../../language.js'
import { Action } from '../../parts/action.js'
import { Field, Password } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { SelectField } from '../../parts/select-field.js'
import { explainError, type Message } from '../../explain-error.js'
import { PageContext } from '../../page-context.js'
import { NewAccountFields } from '../views/new-account-fields.js'
import { ErrorPage } from '../views/error-pages.js'
import { toChoices } from './choices.js'

/** Settings that can be chosen. */
interface SetupChoices {
  readonly serviceName: string
  readonly publicUrl: string
  readonly registration: string
  readonly accessUpdates: boolean
  readonly mailHost: string
  readonly mailPort: number
  readonly mailEncryption: string
  readonly mailUser: string
  readonly mailFrom: string
}

interface CurrentSetup {
  readonly choices: SetupChoices
  /** Sources of values that are set elsewhere. */
  readonly setBy: Readonly<Record<string, string>>
  readonly presentUrl: string
}

interface SetupResult {
  readonly serviceName: string
  readonly username: string
  readonly publicUrl: string
}

/** Milliseconds between checks whether the service has restarted. */
const checkMs = 500

/** Takes the secret from the fragment, which browsers do not send to servers, and removes it from the address bar. */
function takeSecret(): string {
  const secret = location.hash.slice(1)
  if (secret !== '') history.replaceState(null, '', location.pathname + location.search)
  return secret
}

/** Shows the first setup of a service, for those who have its link. */
export function Setup() {
  const [secret] = useState(takeSecret)
  const [present, setPresent] = useState<CurrentSetup>()
  const [problem, setProblem] = useState<Message>()
  const [isInvalid, setInvalid] = useState(secret === '')
  const [done, setDone] = useState<SetupResult>()
  const { rename } = useContext(PageContext)
  const onFinished = (answer: SetupResult): void => {
    rename?.(answer.serviceName)
    setDone(answer)
  }
  const onFailed = (error: unknown): void => {
    if (isLinkError(error)) setInvalid(true)
    else setProblem(explainError(error).message)
  }
  useEffect(() => {
    if (secret !== '')
      callRoute<CurrentSetup>('POST', 'system/setup/look', { body: { secret } }).then(setPresent, onFailed)
  }, [secret])

  if (done) return <SetupComplete {...done} />
  if (isInvalid) return <Page key="over" seal="over" title={t('setup.over')} lead={t('setup.overLead')} />
  if (problem !== undefined) return <ErrorPage message={problem} />
  if (!present) return null
  return <SetupForm secret={secret} present={present} onOver={() => setInvalid(true)} onDone={onFinished} />
}

/** Returns whether an error means that the link is invalid: wrong, used, or for a service that is already set up. */
function isLinkError(error: unknown): boolean {
  return error instanceof Refusal && (error.id === 'forbidden' || error.id === 'unknown-resource')
}

type SelectOptions = readonly (readonly [value: string, label: string])[]

interface Props {
  readonly secret: string
  readonly present: CurrentSetup
  readonly onOver: () => void
  readonly onDone: (done: SetupResult) => void
}

/**
 * Renders the set-up form, which creates the operator's account and stores the settings. `onDone` receives
 * the result, `onOver` is called if the link is no longer valid.
 */
function SetupForm({ secret, present, onDone, onOver }: Props) {
  const { choices, presentUrl, setBy } = present
  const fields = useRef<HTMLDivElement>(null)
  const [status, setStatus] = useState<string>()

  const finish = async (values: Values): Promise<void> => {
    const { email, password, username } = values
    const body = {
      secret,
      username: username!.trim().toLowerCase(),
      password,
      email: email!.trim(),
      language: getLanguage(),
      choices: toChoices(values)
    }
    try {
      onDone(await callRoute<SetupResult>('POST', 'system/setup', { body }))
    } catch (error) {
      if (!isLinkError(error)) throw error
      onOver()
    }
  }
  const sendTestMail = async (): Promise<void> => {
    setStatus(undefined)
    const values = Object.fromEntries(new FormData(fields.current!.closest('form')!)) as Values
    const email = values['email']!.trim()
    if (email === '') return setStatus(t('setup.needsEmail'))
    if ((values['mailHost'] ?? choices.mailHost).trim() === '') return setStatus(t('setup.needsHost'))
    try {
      const body = { secret, email, language: getLanguage(), choices: toChoices(values) }
      await callRoute('POST', 'system/setup/mail', { body })
      setStatus(t('setup.sent', { address: email }))
    } catch (error) {
      if (!(error instanceof Refusal) || error.id !== 'invalid-operation') throw error
      setStatus(t('setup.failed', { reason: error.message }))
    }
    return undefined
  }
  const source = (name: string): string | undefined => setBy[name]
  const select = (
    name: 'registration' | 'accessUpdates' | 'mailEncryption',
    label: string,
    options: SelectOptions,
    ownHint?: string
  ) => {
    const by = source(name)
    const hint = by === undefined ? ownHint : t('setup.setBy', { source: by })
    return (
      <SelectField
        name={name}
        label={label}
        value={String(choices[name])}
        options={options}
        hint={hint}
        isDisabled={by !== undefined}
      />
    )
  }
  const renderField = (name: keyof SetupChoices, label: string, hint?: string, input: object = {}) => {
    const by = source(name)
    const value = String(choices[name])
    return (
      <Field
        name={name}
        label={label}
        {...(by === undefined
          ? hint === undefined
            ? {}
            : { hint }
          : { hint: t('setup.setBy', { source: by }) })}
        input={{
          defaultValue: value,
          autocomplete: 'off',
          required: false,
          disabled: by !== undefined,
          ...input
        }}
      />
    )
  }
  return (
    <Page key="setup" title={t('setup.title')} lead={t('setup.lead')}>
      <Form action={t('setup.action')} onSubmit={finish}>
        <h2>{t('setup.you')}</h2>
        <NewAccountFields />
        <h2>{t('setup.service')}</h2>
        {renderField('serviceName', t('setup.name'), undefined, { maxLength: 100 })}
        {renderField('publicUrl', t('setup.address'), t('setup.addressHint', { url: presentUrl }), {
          inputMode: 'url',
          maxLength: 500
        })}
        {select('registration', t('setup.who'), [
          ['open', t('setup.open')],
          ['invited', t('setup.invited')],
          ['closed', t('setup.closed')]
        ])}
        {select(
          'accessUpdates',
          t('setup.apps'),
          [
            ['false', t('setup.appsOff')],
            ['true', t('setup.appsOn')]
          ],
          t('setup.appsHint')
        )}
        <h2>{t('setup.mail')}</h2>
        <p class="hint">{t('setup.mailLead')}</p>
        <div ref={fields}>
          {renderField('mailHost', labelOptional('setup.mailHost'), undefined, { maxLength: 300 })}
          {renderField('mailPort', t('setup.mailPort'), undefined, { inputMode: 'numeric', maxLength: 5 })}
          {select('mailEncryption', t('setup.mailEncryption'), [
            ['auto', t('setup.auto')],
            ['starttls', t('setup.starttls')],
            ['tls', t('setup.tls')]
          ])}
          {renderField('mailUser', labelOptional('setup.mailUser'), undefined, { maxLength: 300 })}
          {source('mailPassword') === undefined && (
            <Password name="mailPassword" label={labelOptional('setup.mailPassword')} isOptional />
          )}
          {renderField('mailFrom', labelOptional('setup.mailFrom'), undefined, { maxLength: 300 })}
        </div>
        <div class="actions start">
          <Action onClick={sendTestMail}>{t('setup.try')}</Action>
        </div>
        <p class="hint" role="status">
          {status}
        </p>
      </Form>
    </Page>
  )
}

function labelOptional(
  key: 'setup.mailHost' | 'setup.mailUser' | 'setup.mailPassword' | 'setup.mailFrom'
): string {
  return t('setup.optional', { label: t(key) })
}

/** Waits until the service has restarted with the chosen settings, then says what to do next. */
function SetupComplete({ publicUrl, username }: SetupResult) {
  const { info } = useContext(PageContext)
  const [isBack, setBack] = useState(false)
  useEffect(() => {
    let isUnmounted = false
    const check = async (): Promise<void> => {
      await new Promise(resolve => setTimeout(resolve, checkMs))
      const isReachable = await callRoute('GET', 'healthz').then(
        () => true,
        () => false
      )
      if (isUnmounted) return
      if (isReachable) setBack(true)
      else await check()
    }
    void check()
    return () => void (isUnmounted = true)
  }, [])
  if (!isBack) return <Page key="starting" title={info.name} lead={t('setup.starting')} />
  const address = publicUrl.replace(/^https?:\/\//, '')
  return (
    <Page
      key="done"
      seal="done"
      title={t('setup.done', { service: info.name })}
      lead={rich('setup.doneLead', {
        username: <strong>{username}</strong>,
        address: <strong>{address}</strong>
      })}
    >
      <div class="actions">
        <a class="button primary" href={`${publicUrl}/app/`} rel="noreferrer">
          {t('setup.signIn')}
        </a>
      </div>
      <h2>{t('setup.next')}</h2>
      <ul class="next">
        <li>
          {rich('setup.invite', {
            page: (
              <a href={`${publicUrl}/operator`} rel="noreferrer">
                {t('setup.operatorPage')}
              </a>
            )
          })}
        </li>
        <li>{t('setup.backup')}</li>
        {!publicUrl.startsWith('https:') && <li>{t('setup.tls2')}</li>}
      </ul>
    </Page>
  )
}
