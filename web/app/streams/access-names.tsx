/** Lists the names of accesses in a sentence; the first few of many. */
import { t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { Access } from '../data/model.js'
import { AppLink } from '../parts/app-link.js'

const maxNames = 5

/** Links up to five names, then says how many others there are. */
export function AccessNames({ accesses }: { readonly accesses: readonly Access[] }) {
  return (
    <>
      {accesses.slice(0, maxNames).map(({ id, name }, index) => (
        <>
          {index > 0 && ', '}
          <AppLink key={id} to={{ page: 'shared', id }}>
            {toPlainText(name)}
          </AppLink>
        </>
      ))}
      {accesses.length > maxNames && ` ${t('shell.moreAccesses', { count: accesses.length - maxNames })}`}
    </>
  )
}
