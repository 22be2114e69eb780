/** Lists the names of accesses in a sentence; the first few of many. */
import { t } from '../../language.js'
import { plain } from '../../plain.js'
import type { Access } from '../data/model.js'
import { Go } from '../parts/go.js'

const maxNames = 5

export function Names({ accesses }: { readonly accesses: readonly Access[] }) {
  return (
    <>
      {accesses.slice(0, maxNames).map(({ id, name }, index) => (
        <>
          {index > 0 && ', '}
          <Go key={id} to={{ page: 'shared', id }}>
            {plain(name)}
          </Go>
        </>
      ))}
      {accesses.length > maxNames && ` ${t('shell.moreAccesses', { count: accesses.length - maxNames })}`}
    </>
  )
}
