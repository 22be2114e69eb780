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
const go = (place: Place): void => location.assign(hrefOf(place))

export function OperatorPage({ info, facts, username }: Props) {
  const [desk, setDesk] = useState<Desk | undefined>(() =>
    username === undefined ? undefined : deskOf(username)
  )
  const [tag, setTag] = useState(document.documentElement.lang)
  const onLanguage = (wanted: string): void => void speak([wanted]).then(() => setTag(wanted))
  useEffect(() => {
    document.title = `${t('operator.title')} – ${info.name}`
  }, [tag])
  return (
    <Surroundings.Provider value={{ info, facts, go, hrefOf }}>
      {desk ? (
        <DeskContext.Provider value={desk}>
          <Inside
            name={info.name}
            tag={tag}
            onLanguage={onLanguage}
            onLeave={() => {
              if (desk.username !== undefined) leave({ username: desk.username })
              setDesk(undefined)
            }}
          />
        </DeskContext.Provider>
      ) : (
        <div class="door">
          <Frame tag={tag} onLanguage={onLanguage}>
            <Entrance onDesk={setDesk} />
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

const places = ['people', 'service', 'invitations', 'settings', 'deeds'] as const
type Part = (typeof places)[number]

interface InsideProps {
  readonly name: string
  readonly tag: string
  readonly onLanguage: (tag: string) => void
  readonly onLeave: () => void
}

function Inside({ name, tag, onLanguage, onLeave }: InsideProps) {
  const { problem, value } = useReading<{ overview: Overview }>('overview')
  const [place, setPlace] = useState(placeInAddress)
  useEffect(() => {
    const follow = (): void => setPlace(placeInAddress())
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
                choices={places}
                chosen={place}
                textOf={each => t(`operator.${each}`)}
                onChoose={each => {
                  location.hash = each
                }}
              />
            </div>
            {place === 'people' && <People overview={overview} />}
            {place === 'service' && <Service overview={overview} />}
            {place === 'invitations' && <Invitations overview={overview} />}
            {place === 'settings' && <Settings />}
            {place === 'deeds' && <Deeds />}
          </>
        )}
      </main>
    </div>
  )
}

function placeInAddress(): Part {
  const wanted = location.hash.slice(1)
  return places.find(each => each === wanted) ?? 'people'
}
