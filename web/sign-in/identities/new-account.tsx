/** Creates an account for a user with a verified identity: without a password, only a username is needed. */
import type { ComponentChild } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { callRoute } from '../../api.js'
import { getLanguage, t } from '../../language.js'
import { Field } from '../../parts/field.js'
import { Form, type Values } from '../../parts/form.js'
import { Page } from '../../parts/page.js'
import { PageContext } from '../../page-context.js'
import { NewAccountFields } from '../views/new-account-fields.js'

/** Values with which an account can be created. */
export interface RegistrationOffer {
  readonly isOpen: boolean
  readonly username?: string
  readonly email?: string
  readonly isEmailTaken: boolean
}

interface Props {
  readonly offer: RegistrationOffer
  /** The name of the provider. */
  readonly label: string
  readonly appId: string
  readonly identity: { readonly ticket: string; readonly secret: string }
  /** Signs in to the new account. */
  readonly onRegistered: (username: string) => Promise<void>
  readonly back: ComponentChild
}

/** Shows the form that creates an account for an identity, and signs in. */
export function CreateAccount({ appId, back, identity, label, offer, onRegistered }: Props) {
  const { facts, info } = useContext(PageContext)
  // A form that is sent again after signing in failed must not create another account.
  const [createdName, setCreatedName] = useState<string>()
  const register = async ({ email, invitationToken, username }: Values): Promise<void> => {
    const body = {
      appId,
      username: username!.trim().toLowerCase(),
      email: email!.trim(),
      language: getLanguage(),
      identity,
      ...(invitationToken ? { invitationToken: invitationToken.trim() } : {})
    }
    const name =
      createdName ?? (await callRoute<{ username: string }>('POST', 'reg/users', { body })).username
    setCreatedName(name)
    await onRegistered(name)
  }
  const invitation = new URLSearchParams(location.hash.slice(1)).get('invitation') ?? ''
  return (
    <Page
      key="new"
      title={t('register.title', { service: info.name })}
      lead={t('identity.newLead', { provider: label })}
    >
      <Form action={t('register.action')} onSubmit={register} others={back}>
        <NewAccountFields hasPassword={false} username={offer.username} email={offer.email} />
        {facts.registration === 'invited' && !offer.isOpen && (
          <Field
            name="invitationToken"
            label={t('field.invitation')}
            hint={t('hint.invitation')}
            input={{ autocomplete: 'off', maxLength: 99, defaultValue: invitation }}
          />
        )}
      </Form>
    </Page>
  )
}
