/** Lists the names of accesses in a sentence; the first few of many. */
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import type { Access } from '../data/model.js'
import { Go } from '../parts/go.js'

const most = 5

export function Names({ accesses }: { readonly accesses: readonly Access[] }) {
  return (
    <>
      {accesses.slice(0, most).map(({ id, name }, index) => (
        <>
          {index > 0 && ', '}
          <Go key={id} to={{ page: 'shared', id }}>
            {plain(name)}
          </Go>
        </>
      ))}
      {accesses.length > most && ` ${t('shell.moreAccesses', { count: accesses.length - most })}`}
    </>
  )
}
