/** Numbers spread evenly over many cells, in a tree of ranges: adding one takes about as long as finding a cell. */

/** What is added to each second of the cells below a node. */
interface Node {
  rate: number
  shares: number
}

/** A cell, the sum of the rates in it, and their number. */
interface RateOfCell extends Readonly<Node> {
  readonly cell: number
}

/** Rates of ranges of cells. Cells are counted from 0. */
export class SpreadRates {
  /** By number: the children of a node are `2 * node` and `2 * node + 1`, those of the last level are cells. */
  readonly #nodes = new Map<number, Node>()
  readonly #firstLeaf: number

  constructor(cells: number) {
    this.#firstLeaf = 2 ** Math.ceil(Math.log2(Math.max(cells, 1)))
  }

  /** Number of ranges that have a rate. */
  get size(): number {
    return this.#nodes.size
  }

  /** Adds a rate, per second, to the cells from `first` to `end`, which is excluded. */
  add(first: number, end: number, rate: number): void {
    let [low, high] = [first + this.#firstLeaf, end + this.#firstLeaf]
    for (; low < high; low = Math.floor(low / 2), high = Math.floor(high / 2)) {
      if (low % 2 === 1) this.#addTo(low++, rate)
      if (high % 2 === 1) this.#addTo(--high, rate)
    }
  }

  /** Returns the cells that have a rate, in order. */
  *cells(): Generator<RateOfCell, void> {
    const rest = [{ node: 1, rate: 0, shares: 0 }]
    for (let next = rest.pop(); next; next = rest.pop()) {
      const { node } = next
      const own = this.#nodes.get(node)
      if (!own && next.shares === 0) continue
      const [rate, shares] = [next.rate + (own?.rate ?? 0), next.shares + (own?.shares ?? 0)]
      if (node >= this.#firstLeaf) yield { cell: node - this.#firstLeaf, rate, shares }
      else rest.push({ node: 2 * node + 1, rate, shares }, { node: 2 * node, rate, shares })
    }
  }

  #addTo(at: number, rate: number): void {
    const node = this.#nodes.get(at)
    if (node) {
      node.rate += rate
      node.shares++
      return
    }
    this.#nodes.set(at, { rate, shares: 1 })
    // Nodes above it lead there.
    for (let above = at >> 1; above > 0 && !this.#nodes.has(above); above >>= 1)
      this.#nodes.set(above, { rate: 0, shares: 0 })
  }
}
