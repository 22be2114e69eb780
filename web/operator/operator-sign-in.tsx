/** Signing in as an operator, or with the admin key. */
import { useContext, useState } from 'preact/hooks'
import { Refusal } from '../api.js'
import { t } from '../language.js'
import { Password } from '../parts/field.js'
import { Form } from '../parts/form.js'
import { Page } from '../parts/page.js'
import { SignIn } from '../sign-in/views/sign-in.js'
import { PageContext } from '../page-context.js'
import { createOperatorClient, type OperatorClient } from './operator-client.js'

/** App id of the session, shown in the list of sessions. */
const appId = 'coffer-operator'

/** Shows the sign-in of operators: with their account or with the key of the service. */
export function OperatorSignIn({ onDesk }: { readonly onDesk: (client: OperatorClient) => void }) {
  const { info } = useContext(PageContext)
  const [hasKey, setKey] = useState(false)
  const toggle = (
    <p>
      <button type="button" class="text" onClick={() => setKey(!hasKey)}>
        {t(hasKey ? 'operator.withoutKey' : 'operator.withKey')}
      </button>
    </p>
  )
  if (!hasKey)
    return (
      <>
        <SignIn
          appId={appId}
          title={t('signIn.title')}
          lead={t('operator.lead', { service: info.name })}
          onSignedIn={({ username }) => onDesk(createOperatorClient(username))}
        />
        {toggle}
      </>
    )
  return (
    <Page title={t('operator.keyTitle')} lead={t('operator.keyLead')}>
      <Form
        action={t('operator.enter')}
        onSubmit={async ({ key = '' }) => {
          const client = createOperatorClient(undefined, key.trim())
          await client.call('GET', 'overview').catch((error: unknown) => {
            // To others, the service says that there is no such path.
            const isWrongKey = error instanceof Refusal && error.id === 'unknown-resource'
            throw isWrongKey ? new Refusal('wrong-key', t('operator.wrongKey')) : error
          })
          onDesk(client)
        }}
      >
        <Password name="key" label={t('operator.key')} />
      </Form>
      {toggle}
    </Page>
  )
}
