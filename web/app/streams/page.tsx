/** The streams page: the tree, or one stream. */
import './style.css'
import type { PageProps } from '../route.js'
import { StreamView } from './stream-view.js'
import { Overview } from './overview.js'

/** Shows the tree, or one stream (`id`). */
export default function StreamsPage({ id, query }: PageProps) {
  return id === undefined ? <Overview /> : <StreamView id={id} query={query} />
}
