/** The page of notifications: where they go, and what was sent. */
import './style.css'
import { useContext, useEffect, useState } from 'preact/hooks'
import { t } from '../../language.js'
import { PageContext } from '../../page-context.js'
import { toPlainText } from '../../plain-text.js'
import { useAccount } from '../data/account.js'
import { useStore } from '../data/store.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import { ReadProblem } from '../parts/read-problem.js'
import { Skeleton } from '../parts/skeleton.js'
import type { PageProps } from '../route.js'
import { AddForm, listPeople } from './add-form.js'
import { ChannelView } from './channel-view.js'
import { channelTypes, getIcon, getTypeName, useChannels, type Channel } from './channels.js'
import { ThisDevice } from './this-device.js'

/** Shows the list with what can be added, one channel (`id`), or the form for a type (`type`). */
export default function ChannelsPage({ id, query }: PageProps) {
  const { read, problem, reread } = useChannels()
  const { facts } = useContext(PageContext)
  const people = listPeople(useStore(useAccount().accesses))
  const addresses = useAddresses(facts.sendsMail)
  useEffect(() => {
    document.title = t('shell.channels')
    void reread()
  }, [id, query.get('type')])
  if (id !== undefined)
    return (
      <div class="column">
        <BackLink />
        <ChannelView key={id} id={id} />
      </div>
    )
  if (problem !== undefined && !read) return <ReadProblem message={problem} />
  if (!read || !addresses) return <Skeleton kind="page" />
  const offered = channelTypes.filter(
    each =>
      each !== 'web-push' &&
      (each !== 'mail' || addresses.length > 0) &&
      (each !== 'person' || people.length > 0)
  ) as Exclude<Channel['type'], 'web-push'>[]
  const type = offered.find(each => each === query.get('type'))
  if (type)
    return (
      <div class="column">
        <BackLink />
        <AddForm key={type} type={type} addresses={addresses} />
      </div>
    )
  return (
    <div class="column">
      <h1>{t('shell.channels')}</h1>
      <p class="lead">{t('channels.lead')}</p>
      <p class="shortcuts">
        <AppLink to={{ page: 'alerts' }}>{t('channels.alerts')}</AppLink>
        <AppLink to={{ page: 'reminders' }}>{t('channels.reminders')}</AppLink>
      </p>
      {read.channels.length > 0 && <List channels={read.channels} />}
      <ThisDevice channels={read.channels} webPushKey={read.webPushKey} onChanged={reread} />
      <section class="choice" aria-labelledby="others">
        <h2 id="others">{t('channels.others')}</h2>
        <ul class="types">
          {offered.map(each => (
            <li key={each} class="card">
              <AppLink to={{ page: 'channels', query: { type: each } }}>
                <b>{getTypeName(each)}</b>
                <Icon name={getIcon(each)} />
                <p>{t(`channels.about.${each}`)}</p>
              </AppLink>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

/** Lists the channels of the user. */
function List({ channels }: { readonly channels: readonly Channel[] }) {
  return (
    <section class="card panel" aria-labelledby="channels">
      <h2 id="channels">{t('channels.yours')}</h2>
      <ul class="list">
        {channels.map(({ id, name, state, type }) => (
          <li key={id}>
            <AppLink to={{ page: 'channels', id }}>
              <Icon name={getIcon(type)} />
              <span>
                <b>{toPlainText(name)}</b>
                <small>{getTypeName(type)}</small>
              </span>
              {state === 'ended' && <span class="state failed">{t('channels.endedShort')}</span>}
              <Icon name="right" />
            </AppLink>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Returns the confirmed addresses of the account; none if the service sends no mail; undefined until they are read. */
function useAddresses(sendsMail: boolean): readonly string[] | undefined {
  const { client } = useAccount()
  const [addresses, setAddresses] = useState<readonly string[] | undefined>(sendsMail ? undefined : [])
  useEffect(() => {
    if (!sendsMail) return
    client
      .call<{ account: { emails?: readonly { value: string; status: string }[] } }>('account.get')
      .then(({ account: { emails = [] } }) =>
        setAddresses(emails.flatMap(({ status, value }) => (status === 'verified' ? [value] : [])))
      )
      .catch(() => setAddresses([]))
  }, [client, sendsMail])
  return addresses
}

function BackLink() {
  return (
    <AppLink to={{ page: 'channels' }} class="crumb">
      <Icon name="left" />
      {t('shell.channels')}
    </AppLink>
  )
}
