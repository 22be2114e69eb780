/** Finds the route of a path in a tree of segments, which is faster than one regular expression per route. */
import type { Route } from './route.js'

/** A node in the tree of paths. */
class Node<T> {
  readonly literal = new Map<string, Node<T>>()
  parameter: Node<T> | undefined
  /** Parameters with a suffix such as `.jpg`, by suffix. */
  readonly suffixed = new Map<string, Node<T>>()
  readonly targets = new Map<string, T>()

  /** `names`: the parameters on the path to this node, in order. */
  constructor(readonly names: readonly string[]) {}
}

interface Match<T> {
  readonly target: T
  /** Values of the path parameters; `undefined` if the path has none. */
  readonly ids: Readonly<Record<string, string>> | undefined
}

export class RouteTree<T> {
  readonly #root = new Node<T>([])

  /** `target` turns each route into the value that `find` returns for it. */
  constructor(routes: readonly Route[], target: (route: Route) => T) {
    for (const route of routes) this.#addNode(route.path).targets.set(route.verb, target(route))
  }

  /**
   * Finds the target of a verb and a decoded path. Literal segments win over parameters if both support the
   * verb. Returns `undefined` if there is none.
   */
  find(verb: string, segments: readonly string[]): Match<T> | undefined {
    return search(this.#root, verb, segments, 0, [])
  }

  #addNode(path: string): Node<T> {
    let node = this.#root
    for (const segment of path.split('/').filter(Boolean)) {
      node = segment.startsWith(':') ? addParameter(node, segment) : addLiteral(node, segment)
    }
    return node
  }
}

function addLiteral<T>(node: Node<T>, segment: string): Node<T> {
  let next = node.literal.get(segment)
  if (!next) node.literal.set(segment, (next = new Node(node.names)))
  return next
}

function addParameter<T>(node: Node<T>, segment: string): Node<T> {
  const [, name = '', suffix] = /^:(\w+)(\..+)?$/.exec(segment) ?? []
  const names = [...node.names, name]
  if (suffix === undefined) return (node.parameter ??= new Node(names))
  let next = node.suffixed.get(suffix)
  if (!next) node.suffixed.set(suffix, (next = new Node(names)))
  return next
}

/** Finds the target below a node for the segments from `depth` on. `values`: of the parameters so far. */
function search<T>(
  node: Node<T>,
  verb: string,
  segments: readonly string[],
  depth: number,
  values: readonly string[]
): Match<T> | undefined {
  const segment = segments[depth]
  if (segment === undefined) {
    const target = node.targets.get(verb)
    return target === undefined ? undefined : { target, ids: nameValues(node.names, values) }
  }
  const literal = node.literal.get(segment)
  const found = literal && search(literal, verb, segments, depth + 1, values)
  if (found || segment === '') return found
  for (const [suffix, next] of node.suffixed) {
    if (!segment.endsWith(suffix) || segment === suffix) continue
    const value = segment.slice(0, -suffix.length)
    const match = search(next, verb, segments, depth + 1, [...values, value])
    if (match) return match
  }
  if (!node.parameter) return undefined
  return search(node.parameter, verb, segments, depth + 1, [...values, segment])
}

function nameValues(names: readonly string[], values: readonly string[]): Match<unknown>['ids'] {
  if (names.length === 0) return undefined
  const ids: Record<string, string> = {}
  for (let index = 0; index < names.length; index++) ids[names[index]!] = values[index] ?? ''
  return ids
}
