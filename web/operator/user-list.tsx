/** Users and their usage: search by name or email address, in pages. */
import { useState } from 'preact/hooks'
import { formatDay } from '../app/parts/format-time.js'
import { t } from '../language.js'
import { Alert } from '../parts/form.js'
import { useResource } from './operator-client.js'
import { ColumnHeaders } from './column-headers.js'
import type { Overview, UserInfo } from './model.js'
import { UserDialog } from './user-dialog.js'
import { UserBadges, describeStorage } from './user-badges.js'

/** The cursor of each page up to this one. */
type Cursors = readonly string[]

/** Lists users page by page, and opens the dialog of a selected one. */
export function UserList({ overview }: { readonly overview: Overview }) {
  const [search, setSearch] = useState('')
  const [cursors, setCursors] = useState<Cursors>([])
  const [chosenName, setChosen] = useState<string>()
  const query = new URLSearchParams({ search, after: cursors.at(-1) ?? '' })
  const { reload, problem, value } = useResource<{ users: readonly UserInfo[]; next?: string }>(
    `users?${query.toString()}`
  )
  const next = value?.next
  const user = value?.users.find(({ username }) => username === chosenName)
  return (
    <section aria-labelledby="people">
      <h2 id="people">{t('operator.people')}</h2>
      <p class="hint">
        {t('operator.counts', { accounts: overview.accounts, suspended: overview.suspended })}
      </p>
      <form
        class="search"
        role="search"
        onSubmit={event => {
          event.preventDefault()
          setCursors([])
          const input = new FormData(event.currentTarget).get('search')
          setSearch(typeof input === 'string' ? input : '')
        }}
      >
        <label for="search">{t('operator.search')}</label>
        <div class="line">
          <input
            id="search"
            name="search"
            type="search"
            maxLength={300}
            autocapitalize="none"
            spellcheck={false}
          />
          <button type="submit" class="reveal">
            {t('operator.find')}
          </button>
        </div>
      </form>
      {problem !== undefined && <Alert>{problem}</Alert>}
      {value?.users.length === 0 && <p>{t('operator.nobody')}</p>}
      {(value?.users.length ?? 0) > 0 && (
        <ColumnHeaders of={[t('operator.account'), t('operator.stores'), t('operator.lastUsed')]} />
      )}
      <ul class="rows">
        {value?.users.map(each => (
          <li key={each.username}>
            <button type="button" class="who" onClick={() => setChosen(each.username)}>
              <strong>{each.username}</strong>
              <UserBadges person={each} />
            </button>
            <span class="num">{describeStorage(each)}</span>
            <span class="num soft">
              {each.lastUsed === null
                ? t('operator.neverUsed')
                : t('operator.used', { day: formatDay(each.lastUsed) })}
            </span>
          </li>
        ))}
      </ul>
      {(cursors.length > 0 || next !== undefined) && (
        <nav class="pages" aria-label={t('operator.pages')}>
          <button
            type="button"
            class="button"
            aria-disabled={cursors.length === 0}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            {t('operator.former')}
          </button>
          <button
            type="button"
            class="button"
            aria-disabled={next === undefined}
            onClick={() => next !== undefined && setCursors([...cursors, next])}
          >
            {t('operator.next')}
          </button>
        </nav>
      )}
      {user && (
        <UserDialog
          person={user}
          overview={overview}
          onChange={reload}
          onClose={() => setChosen(undefined)}
        />
      )}
    </section>
  )
}
