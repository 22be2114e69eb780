/** A sample of a range, as a list that is read chunk by chunk. */
import type { Sampler } from '../../storage/series/sampler.js'
import type { Listing, Page } from '../json/json-text.js'
import type { Reader } from '../call/reader.js'

export class SampledListing implements Listing<Reader> {
  constructor(private readonly sampler: Sampler) {}

  next({ store: { series } }: Reader): Page {
    return series.sample(this.sampler)
  }
}
