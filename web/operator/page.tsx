/** The operator's page: signing in, then users, service, invitations, settings and activity log. */
import { useEffect, useState } from 'preact/hooks'
import { leave, type PageFacts, type ServiceInfo } from '../api.js'
import { Tabs } from '../app/parts/tabs.js'
import { speak, t } from '../language.js'
import { Alert } from '../parts/form.js'
import { Frame, Mast } from '../parts/frame.js'
import { LanguageOptions } from '../parts/language-options.js'
import { loaded } from '../parts/loaded.js'
import { Surroundings, hrefOf, type Place } from '../surroundings.js'
import { Deeds } from './deeds.js'
import { DeskContext, deskOf, useReading, type Desk } from './desk.js'
import { Entrance } from './entrance.js'
import { Invitations } from './invitations.js'
import type { Overview } from './model.js'
import { People } from './people.js'
import { Service } from './service.js'

interface Props {
  readonly info: ServiceInfo
  readonly facts: PageFacts
  /** The user signed in with this browser. */
  readonly username: string | undefined
}

/** Other pages are separate programs. */
const go = (tab: Place): void => location.assign(hrefOf(tab))

export function OperatorPage({ info, facts, username }: Props) {
  const [client, setClient] = useState<Desk | undefined>(() =>
    username === undefined ? undefined : deskOf(username)
  )
  const [tag, setTag] = useState(document.documentElement.lang)
  const onLanguage = (wanted: string): void => void speak([wanted]).then(() => setTag(wanted))
  useEffect(() => {
    document.title = `${t('operator.title')} – ${info.name}`
  }, [tag])
  return (
    <Surroundings.Provider value={{ info, facts, go, hrefOf }}>
      {client ? (
        <DeskContext.Provider value={client}>
          <OperatorTabs
            name={info.name}
            tag={tag}
            onLanguage={onLanguage}
            onLeave={() => {
              if (client.username !== undefined) leave({ username: client.username })
              setClient(undefined)
            }}
          />
        </DeskContext.Provider>
      ) : (
        <div class="door">
          <Frame tag={tag} onLanguage={onLanguage}>
            <Entrance onDesk={setClient} />
          </Frame>
        </div>
      )}
    </Surroundings.Provider>
  )
}

const Settings = loaded(async () => {
  const [{ Settings: View }] = await Promise.all([
    import('./settings/page.js'),
    import('./settings/texts.js').then(async ({ addSettingsTexts }) => await addSettingsTexts())
  ])
  return View
})

const tabs = ['people', 'service', 'invitations', 'settings', 'deeds'] as const
type Tab = (typeof tabs)[number]

interface InsideProps {
  readonly name: string
  readonly tag: string
  readonly onLanguage: (tag: string) => void
  readonly onLeave: () => void
}

function OperatorTabs({ name, tag, onLanguage, onLeave }: InsideProps) {
  const { problem, value } = useReading<{ overview: Overview }>('overview')
  const [tab, setTab] = useState(getCurrentTab)
  useEffect(() => {
    const follow = (): void => setTab(getCurrentTab())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const overview = value?.overview
  return (
    <div class="operator" key={tag}>
      <div class="top">
        <Mast name={name} />
        <label>
          <span class="unseen">{t('frame.language')}</span>
          <select value={tag} onChange={event => onLanguage(event.currentTarget.value)}>
            <LanguageOptions />
          </select>
        </label>
        <button type="button" class="text" onClick={onLeave}>
          {t('operator.leave')}
        </button>
      </div>
      <main>
        <h1>{t('operator.title')}</h1>
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
            {tab === 'people' && <People overview={overview} />}
            {tab === 'service' && <Service overview={overview} />}
            {tab === 'invitations' && <Invitations overview={overview} />}
            {tab === 'settings' && <Settings />}
            {tab === 'deeds' && <Deeds />}
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
