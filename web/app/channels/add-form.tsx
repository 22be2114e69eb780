/** Adds a channel: a short form for each type, with how to set the other side up. */
import { useState } from 'preact/hooks'
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { StreamOptions } from '../parts/stream-options.js'
import { buildHref, navigate } from '../route.js'
import type { Access } from '../data/model.js'
import { getTypeName, type Channel, type ChannelType } from './channels.js'

type FormType = Exclude<ChannelType, 'web-push'>

interface Props {
  readonly type: FormType
  /** Confirmed addresses of the account. */
  readonly addresses: readonly string[]
}

/** Shows the form of the type. Saving creates the channel and opens its page. */
export function AddForm({ type, addresses }: Props) {
  const { client, username } = useAccount()
  return (
    <>
      <h1>{getTypeName(type)}</h1>
      <p class="lead">{t(`channels.about.${type}`)}</p>
      <section class="card panel">
        <Form
          action={t('channels.add')}
          onSubmit={async values => {
            const { channel } = await client.call<{ channel: Channel }>('channels.create', {
              type,
              name: values['name'],
              target: readTarget(type, values)
            })
            navigate(buildHref(username, { page: 'channels', id: channel.id }), true)
          }}
        >
          <Field
            name="name"
            label={t('channels.name')}
            input={{ defaultValue: getTypeName(type), maxLength: 100 }}
          />
          <TargetFields type={type} addresses={addresses} />
        </Form>
      </section>
    </>
  )
}

/** Returns the target of a form, without the fields that are empty. */
function readTarget(type: FormType, values: Values): Readonly<Record<string, string>> {
  const names: Readonly<Record<FormType, readonly string[]>> = {
    mail: ['address'],
    ntfy: ['url', 'topic', 'token'],
    gotify: ['url', 'token'],
    apprise: ['url', 'key'],
    webhook: ['url', 'secret'],
    person: ['accessId'],
    event: ['streamId']
  }
  return Object.fromEntries(
    names[type].flatMap(name => {
      const value = values[name]?.trim() ?? ''
      return value === '' ? [] : [[name, value]]
    })
  )
}

/** Shows the fields that a type of channel needs. */
function TargetFields({ type, addresses }: Props) {
  const accesses = useStore(useAccount().accesses)
  const [topic] = useState(createTopic)
  switch (type) {
    case 'mail':
      return (
        <Select name="address" label={t('channels.address')}>
          {addresses.map(address => (
            <option key={address}>{address}</option>
          ))}
        </Select>
      )
    case 'ntfy':
      return (
        <>
          <UrlField value="https://ntfy.sh" />
          <Field
            name="topic"
            label={t('channels.topic')}
            hint={t('channels.topicHint')}
            input={{ defaultValue: topic, pattern: '[A-Za-z0-9_\\-]{1,64}' }}
          />
          <SecretField name="token" label={t('channels.tokenOptional')} isOptional />
        </>
      )
    case 'gotify':
      return (
        <>
          <UrlField />
          <SecretField name="token" label={t('channels.token')} />
        </>
      )
    case 'apprise':
      return (
        <>
          <UrlField />
          <SecretField name="key" label={t('channels.key')} />
        </>
      )
    case 'webhook':
      return (
        <>
          <UrlField />
          <SecretField name="secret" label={t('channels.secretOptional')} isOptional />
        </>
      )
    case 'person':
      return (
        <Select name="accessId" label={t('channels.person')}>
          {listPeople(accesses).map(({ id, name }) => (
            <option key={id} value={id}>
              {toPlainText(name)}
            </option>
          ))}
        </Select>
      )
    default:
      return (
        <Select name="streamId" label={t('channels.stream')}>
          <StreamOptions />
        </Select>
      )
  }
}

/**
 * Returns the accesses of people to whom messages can be sent: those of consents with chat whose other side
 * still exists.
 */
export function listPeople(accesses: readonly Access[]): { readonly id: string; readonly name: string }[] {
  return accesses.flatMap(({ clientData, id, name }) => {
    const mark = clientData?.['cmc'] as Readonly<Record<string, unknown>> | undefined
    if (mark?.['role'] !== 'counterparty' || mark['peerGone'] === true) return []
    const { username, remoteChatStreamId } = mark['counterparty'] as Readonly<Record<string, string>>
    if (remoteChatStreamId === undefined || (mark['features'] as { chat?: boolean }).chat === false) return []
    return [{ id, name: name.startsWith('cmc') ? (username ?? name) : name }]
  })
}

function UrlField({ value = '' }: { readonly value?: string }) {
  return (
    <Field
      name="url"
      label={t('channels.url')}
      input={{ type: 'url', inputMode: 'url', defaultValue: value, maxLength: 2048 }}
    />
  )
}

interface SecretProps {
  readonly name: string
  readonly label: string
  readonly isOptional?: boolean
}

function SecretField({ name, label, isOptional = false }: SecretProps) {
  return (
    <Field
      name={name}
      label={label}
      input={{ type: 'password', autocomplete: 'off', maxLength: 1024, required: !isOptional }}
    />
  )
}

interface SelectProps {
  readonly name: string
  readonly label: string
  readonly children: preact.ComponentChildren
}

function Select({ name, label, children }: SelectProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name} required>
        {children}
      </select>
    </div>
  )
}

/** Suggests a topic that no one can guess, because all who know it can read it. */
function createTopic(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10))
  return `coffer-${Array.from(bytes, byte => (byte % 36).toString(36)).join('')}`
}
