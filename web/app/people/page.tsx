/** The page of people: with whom the user shares, asking someone, answering a request, and one person. */
import './style.css'
import { useEffect } from 'preact/hooks'
import { t } from '../../language.js'
import { useAccount } from '../data/account.js'
import { AppLink } from '../parts/app-link.js'
import { Icon } from '../parts/icon.js'
import type { PageProps } from '../route.js'
import { AnswerOffer } from './answer-offer.js'
import { AnswerScopeRequest } from './answer-scope-request.js'
import { AskForm } from './ask-form.js'
import { markSeen } from '../data/news.js'
import { Overview } from './overview.js'
import { PersonView } from './person-view.js'

/**
 * Shows the overview, a form (`ask`, `offer`, `scope-update`), or the person with the id. While open, marks
 * news as seen.
 */
export default function PeoplePage({ id, query }: PageProps) {
  const account = useAccount()
  useEffect(() => {
    document.title = t('shell.people')
    // What arrives while the page is shown is seen.
    const see = (count: number): void => {
      if (count > 0) markSeen(account)
    }
    see(account.live.news.value)
    return account.live.news.follow(see)
  }, [])
  if (id === undefined) return <Overview />
  return (
    <div class="column">
      <AppLink to={{ page: 'people' }} class="crumb">
        <Icon name="left" />
        {t('shell.people')}
      </AppLink>
      {id === 'ask' ? (
        <AskForm shown={query.get('show') ?? undefined} />
      ) : id === 'offer' ? (
        <AnswerOffer query={query} />
      ) : id === 'scope-update' ? (
        <AnswerScopeRequest query={query} />
      ) : (
        <PersonView key={id} id={id} />
      )}
    </div>
  )
}
