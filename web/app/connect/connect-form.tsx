/** Names a new connection, sets its options and creates it. */
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form } from '../../parts/form.js'
import { useAccount } from '../data/account.js'
import { buildHref, navigate } from '../route.js'
import { devices, getApp, getAppText } from './app-catalogue.js'
import { newConnection, type Connection, type Dialect, type NewConnection } from './connections.js'
import { GuideLink } from './guide-link.js'
import { OptionFields, readOptions } from './option-fields.js'

interface Props {
  readonly dialect: Dialect
  /** The chosen device in the address. */
  readonly device: string | null
  /** The existing connections, whose names are taken. */
  readonly taken: readonly Connection[]
}

/** Shows the form. Saving creates the connection and opens its page, where its token is shown once. */
export function ConnectForm({ dialect, device, taken }: Props) {
  const { client, username } = useAccount()
  const { id, name } = dialect
  useEffect(() => {
    document.title = t('connect.appTitle', { app: name })
  }, [name])
  return (
    <>
      <h1>{t('connect.appTitle', { app: name })}</h1>
      <p class="lead">
        {getAppText(id, 'brings')} {t(`connect.cost.${getApp(id).cost}`)} <GuideLink dialect={id} />
      </p>
      <section class="card panel">
        <Form
          action={t('connect.create')}
          onSubmit={async values => {
            const { connection } = await client.call<{ connection: Omit<NewConnection, 'username'> }>(
              'connections.create',
              { dialect: id, name: values['name'], ...readOptions(id, values) }
            )
            newConnection.set({ ...connection, username })
            navigate(buildHref(username, { page: 'connect', id: connection.id }), true)
          }}
        >
          <Field
            name="name"
            label={t('connect.name')}
            hint={t('connect.nameHint')}
            input={{
              defaultValue: suggestName(username, device ?? getApp(id).devices[0]!, taken),
              maxLength: 100
            }}
          />
          <OptionFields dialect={id} isSensitive={false} hasPassphrase={false} />
        </Form>
      </section>
    </>
  )
}

/** Suggests a name that is not taken: `Daisy’s phone`, `Daisy’s phone 2`. */
function suggestName(username: string, device: string, taken: readonly Connection[]): string {
  const kind = devices.find(each => each === device) ?? 'android'
  const owner = username.charAt(0).toLocaleUpperCase() + username.slice(1)
  const name = t(`connect.suggested.${kind === 'iphone' ? 'android' : kind}`, { name: owner })
  const names = new Set(taken.map(each => each.name))
  let number = 1
  while (names.has(number === 1 ? name : `${name} ${number}`)) number++
  return number === 1 ? name : `${name} ${number}`
}
