/** The operator's page: signing in, then users, service, invitations, settings and activity log. */
import { useEffect, useState } from 'preact/hooks'
import { signOutEverywhere, type PageSettings, type ServiceInfo } from '../api.js'
import { Tabs } from '../app/parts/tabs.js'
import { explainError, type Message } from '../explain-error.js'
import { setLanguage, t } from '../language.js'
import { Alert } from '../parts/form.js'
import { PageLayout, ServiceHeader } from '../parts/page-layout.js'
import { LanguageOptions } from '../parts/language-options.js'
import { lazyView } from '../parts/lazy-view.js'
import { PageContext, getHref, type PageId } from '../page-context.js'
import { ActivityLog } from './activity-log.js'
import { OperatorContext, createOperatorClient, useResource, type OperatorClient } from './operator-client.js'
import { OperatorSignIn } from './operator-sign-in.js'
import { Invitations } from './invitations.js'
import type { Overview } from './model.js'
import { addModuleTexts } from './texts.js'
import { UserList } from './user-list.js'
import { ServiceStatus } from './service-status.js'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageSettings
  /** The user signed in with this browser. */
  readonly username: string | undefined
}

/** Other pages are separate programs. */
const go = (tab: PageId): void => location.assign(getHref(tab))

/** Shows the pages of operators, or their sign-in first. */
export function OperatorPage({ info, facts, username }: Props) {
  const [client, setClient] = useState<OperatorClient | undefined>(() =>
    username === undefined ? undefined : createOperatorClient(username)
  )
  const [tag, setTag] = useState(document.documentElement.lang)
  const onLanguage = (wanted: string): void => void setLanguage([wanted]).then(() => setTag(wanted))
  useEffect(() => {
    document.title = `${t('operator.title')} – ${info.name}`
  }, [tag])
  return (
    <PageContext.Provider value={{ info, facts, go, getHref }}>
      {client ? (
        <OperatorContext.Provider value={client}>
          <OperatorTabs
            name={info.name}
            tag={tag}
            onLanguage={onLanguage}
            onLeave={async () => {
              if (client.username !== undefined) await signOutEverywhere({ username: client.username })
              setClient(undefined)
            }}
          />
        </OperatorContext.Provider>
      ) : (
        <div class="door">
          <PageLayout tag={tag} onLanguage={onLanguage}>
            <OperatorSignIn onDesk={setClient} />
          </PageLayout>
        </div>
      )}
    </PageContext.Provider>
  )
}

const Settings = lazyView(async () => {
  const [{ SettingsPage: View }] = await Promise.all([
    import('./settings/page.js'),
    addModuleTexts('settings')
  ])
  return View
})

const Breach = lazyView(async () => {
  const [{ BreachPage: View }] = await Promise.all([import('./breach/page.js'), addModuleTexts('breach')])
  return View
})

const Clients = lazyView(async () => (await import('./clients/page.js')).OAuthClients)

const tabs = ['people', 'service', 'invitations', 'clients', 'settings', 'breach', 'deeds'] as const
type Tab = (typeof tabs)[number]

interface InsideProps {
  readonly name: string
  readonly tag: string
  readonly onLanguage: (tag: string) => void
  /** Rejects with a `Refusal` if the user may still be signed in. */
  readonly onLeave: () => Promise<void>
}

/** Shows the tab that the fragment of the URL names; to users who are no operators, only that they are none. */
function OperatorTabs({ name, tag, onLanguage, onLeave }: InsideProps) {
  const { problem, value } = useResource<{ overview: Overview }>('overview')
  const [tab, setTab] = useState(getCurrentTab)
  const [leaveProblem, setLeaveProblem] = useState<Message>()
  useEffect(() => {
    const follow = (): void => setTab(getCurrentTab())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const overview = value?.overview
  return (
    <div class="operator" key={tag}>
      <div class="top">
        <ServiceHeader name={name} />
        <label>
          <span class="unseen">{t('frame.language')}</span>
          <select value={tag} onChange={event => onLanguage(event.currentTarget.value)}>
            <LanguageOptions />
          </select>
        </label>
        <button
          type="button"
          class="text"
          onClick={() => void onLeave().catch(error => setLeaveProblem(explainError(error).message))}
        >
          {t('operator.leave')}
        </button>
      </div>
      <main>
        <h1>{t('operator.title')}</h1>
        {leaveProblem !== undefined && <Alert>{leaveProblem}</Alert>}
        {problem !== undefined && (
          <>
            <Alert>{t('operator.stranger')}</Alert>
            <p>{problem}</p>
          </>
        )}
        {overview && (
          <>
            <div class="places">
              <Tabs
                label={t('operator.places')}
                choices={tabs}
                chosen={tab}
                textOf={each => t(`operator.${each}`)}
                onChoose={each => {
                  location.hash = each
                }}
              />
            </div>
            {tab === 'people' && <UserList overview={overview} />}
            {tab === 'service' && <ServiceStatus overview={overview} />}
            {tab === 'invitations' && <Invitations overview={overview} />}
            {tab === 'clients' && <Clients />}
            {tab === 'settings' && <Settings />}
            {tab === 'breach' && <Breach />}
            {tab === 'deeds' && <ActivityLog />}
          </>
        )}
      </main>
    </div>
  )
}

function getCurrentTab(): Tab {
  const wanted = location.hash.slice(1)
  return tabs.find(each => each === wanted) ?? 'people'
}
