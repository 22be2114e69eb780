/** Validates the connections of a foreign file, and what is remembered of the data that they sent. */
import { Arrivals, Connection } from '../../schemas/connection.js'
import { compileShape, type Examiner } from './examiner.js'

const isConnection = compileShape(Connection)
const areArrivals = compileShape(Arrivals)

/** Maximum length of what has arrived in characters: many times what the service stores. */
const maxArrivalsLength = 1024 * 1024

/** Reports problems with connections, received items, and the ranges of points that users have changed. */
export function examineConnections(examiner: Examiner): void {
  const { file } = examiner
  for (const { access, arrivals, body, id } of file.rows(
    'SELECT id, access, body, arrivals FROM connection'
  )) {
    const say = (isRight: boolean, detail: string): boolean =>
      examiner.check(isRight, 'connection', id, detail)
    const connection = examiner.read('connection', id, body, isConnection) as Connection | undefined
    if (
      say(String(arrivals).length <= maxArrivalsLength, 'has counts that are longer than the service stores')
    )
      examiner.read('connection', id, arrivals, areArrivals)
    if (connection)
      say(
        connection.id === id && connection.accessId === access,
        "is indexed under values that don't match its content"
      )
  }
  const stray = file.first(
    "SELECT access FROM connection WHERE access NOT IN (SELECT id FROM access WHERE body ->> 'type' = 'app')"
  )
  examiner.check(stray === undefined, 'connection', stray, 'belongs to no access of an app')
  const item = file.first(
    'SELECT id FROM received_item WHERE octet_length(id) <> 25 OR octet_length(event) <> 25'
  )
  examiner.check(item === undefined, 'connection', item, 'is an item that the service does not make')
  const range = file.first(
    `SELECT number FROM touched_points WHERE typeof(first) <> 'real' OR typeof(last) <> 'real' OR first > last
      OR isRemoved NOT IN (0, 1) OR typeof(event) <> 'integer'`
  )
  examiner.check(range === undefined, 'connection', range, 'is a range that the service does not make')
}
