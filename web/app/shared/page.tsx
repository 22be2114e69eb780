/** The sharing page: all accesses, or one with its activity. */
import './style.css'
import { OneAccess } from './one-access.js'
import { Overview } from './overview.js'

interface Props {
  /** Id of the access. */
  readonly id?: string
  readonly query: URLSearchParams
}

export default function Page({ id, query }: Props) {
  return id === undefined ? <Overview query={query} /> : <OneAccess id={id} />
}
