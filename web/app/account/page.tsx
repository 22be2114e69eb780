/** The account itself: how to sign in to it, what it stores, where it is open, and its end. */
import '../../sign-in/style.css'
import './style.css'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { root, type Session } from '../../api.js'
import { Page as Sheet } from '../../parts/page.js'
import { rich, t } from '../../language.js'
import { Alert } from '../../parts/form.js'
import { explain, type Message } from '../../problem.js'
import { Allowed } from '../../sign-in/views/allowed.js'
import { SwitchOff } from '../../sign-in/views/account.js'
import { ChangePassword } from '../../sign-in/views/change-password.js'
import { ChangeEmail, EmailAddress } from '../../sign-in/views/email-address.js'
import { Linked } from '../../sign-in/identities/lazy.js'
import { Enrolment } from '../../sign-in/views/enrolment.js'
import { PasswordSection } from '../../sign-in/views/password-section.js'
import { Sessions } from '../../sign-in/views/sessions.js'
import { Surroundings, type Place } from '../../surroundings.js'
import { useAccount } from '../data/account.js'
import { Deletion } from './deletion.js'
import { Language } from './language.js'
import { Storage } from './storage.js'
import { TakeOut } from './take-out.js'
import { Units } from './units.js'
import { Webhooks } from './webhooks.js'

type Part = 'overview' | 'email' | 'password' | 'enrolment' | 'switching-off'

export default function Page() {
  const { client, username } = useAccount()
  const outer = useContext(Surroundings)
  const [part, setPart] = useState<Part>('overview')
  const [hasFactor, setFactor] = useState<boolean>()
  const [problem, setProblem] = useState<Message>()
  useEffect(() => {
    client.call<{ hasSecondFactor: boolean }>('sessions.get').then(
      ({ hasSecondFactor }) => setFactor(hasSecondFactor),
      (error: unknown) => setProblem(explain(error).message)
    )
  }, [])
  const session = useMemo<Session>(() => ({ username, hasSecondStep: false }), [username])
  const back = (): void => setPart('overview')
  // Views of the sign-in pages lead "back to your account", which is here.
  const surroundings = useMemo(
    () => ({
      ...outer,
      go: (place: Place) => (place === 'access' ? back() : outer.go(place)),
      hrefOf: (place: Place) => (place === 'access' ? location.href : outer.hrefOf(place))
    }),
    [outer]
  )
  const sheet = () => {
    if (part === 'email') return <ChangeEmail session={session} onBack={back} />
    if (part === 'password') return <ChangePassword session={session} />
    if (part === 'enrolment')
      return <Enrolment session={session} onOn={() => setFactor(true)} onBack={back} />
    return (
      <SwitchOff
        session={session}
        onOff={() => {
          setFactor(false)
          back()
        }}
        onBack={back}
      />
    )
  }
  if (part !== 'overview')
    return (
      <Surroundings.Provider value={surroundings}>
        <div class="card one-thing">{sheet()}</div>
      </Surroundings.Provider>
    )
  return (
    <Sheet
      key="overview"
      title={t('account.title')}
      lead={rich('account.lead', { username: <strong>{username}</strong> })}
    >
      {problem !== undefined && <Alert>{problem}</Alert>}
      <div class="cards">
        <div>
          <EmailAddress session={session} onChange={() => setPart('email')} />
          {outer.facts.hasPasswords && (
            <PasswordSection session={session} onChange={() => setPart('password')} />
          )}
          {outer.facts.providers.length > 0 && <Linked session={session} />}
          <section>
            <h2>{t('account.secondStep')}</h2>
            {hasFactor !== undefined && (
              <>
                <p>{t(hasFactor ? 'account.secondStepOn' : 'account.secondStepOff')}</p>
                <div class="actions start">
                  <button
                    type="button"
                    class="button"
                    onClick={() => setPart(hasFactor ? 'switching-off' : 'enrolment')}
                  >
                    {t(hasFactor ? 'account.switchOff' : 'account.switchOn')}
                  </button>
                </div>
              </>
            )}
          </section>
          <section>
            <h2>{t('own.moreSignIn')}</h2>
            <p>
              <a href={new URL('access/access.html', root).href}>{t('own.moreSignInLink')}</a>
            </p>
          </section>
          <Sessions session={session} />
          <Allowed session={session} />
        </div>
        <div>
          <Storage />
          <Language />
          <Units />
          <TakeOut />
          <Webhooks />
          <Deletion />
        </div>
      </div>
    </Sheet>
  )
}
