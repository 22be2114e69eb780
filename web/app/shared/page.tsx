/** The sharing page: all accesses, or one with its activity. */
import './style.css'
import type { PageProps } from '../route.js'
import { AccessView } from './access-view.js'
import { Overview } from './overview.js'

/** Shows the overview, or one access (`id`). */
export default function Page({ id, query }: PageProps) {
  return id === undefined ? <Overview query={query} /> : <AccessView id={id} />
}
