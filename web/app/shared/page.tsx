/** Who sees what: all accesses, or one of them with its calls. */
import './style.css'
import { OneAccess } from './one-access.js'
import { Overview } from './overview.js'

interface Props {
  /** Of the access. */
  readonly id?: string
  readonly query: URLSearchParams
}

export default function Page({ id, query }: Props) {
  return id === undefined ? <Overview query={query} /> : <OneAccess id={id} />
}
