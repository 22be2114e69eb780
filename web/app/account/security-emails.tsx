/** Turns security emails on or off, on the account page. Shows nothing if the service sends none, or until the setting is read. */
import { useEffect, useState } from 'preact/hooks'
import { callAs, type Session } from '../../api.js'
import { t } from '../../language.js'
import { Action } from '../../parts/action.js'

interface State {
  readonly isOn: boolean
  /** Whether the service sends security emails. */
  readonly isAvailable: boolean
}

/** Shows the state with a button that reverses it. Errors of reading are not shown here. */
export function SecurityEmails({ session }: { readonly session: Session }) {
  const [state, setState] = useState<State>()
  useEffect(() => {
    callAs<{ notices: State }>(session, 'GET', 'account/notices').then(
      ({ notices }) => setState(notices),
      // The sections above show the error.
      () => undefined
    )
  }, [session.username])
  if (!state?.isAvailable) return null
  const { isOn } = state
  const change = async (): Promise<void> => {
    const { notices } = await callAs<{ notices: State }>(session, 'PUT', 'account/notices', { isOn: !isOn })
    setState(notices)
  }
  return (
    <section>
      <h2>{t('notices.title')}</h2>
      <p role="status">{t(isOn ? 'notices.on' : 'notices.off')}</p>
      <div class="actions start">
        <Action onClick={change}>{t(isOn ? 'notices.switchOff' : 'notices.switchOn')}</Action>
      </div>
    </section>
  )
}
