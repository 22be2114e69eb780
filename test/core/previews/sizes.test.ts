import t from 'tap'
import { getFrame, fitInto } from '../../../core/previews/renderer.js'

t.test('a preview', async t => {
  const landscape = { width: 3000, height: 2000 }
  const portrait = { width: 2000, height: 3000 }
  for (const [picture, asked, width, height] of [
    [landscape, {}, 256, 171],
    [portrait, {}, 171, 256],
    [{ width: 10, height: 10 }, {}, 256, 256],
    [landscape, { width: 1 }, 256, 171],
    [landscape, { width: 255 }, 256, 171],
    [landscape, { width: 256 }, 512, 341],
    [landscape, { width: 280 }, 512, 341],
    [landscape, { width: 512 }, 768, 512],
    [landscape, { width: 768 }, 1024, 683],
    [landscape, { width: 1024 }, 1024, 683],
    [landscape, { width: 9999 }, 1024, 683],
    [landscape, { height: 200 }, 384, 256],
    [landscape, { height: 256 }, 768, 512],
    [landscape, { height: 700 }, 1024, 683],
    [portrait, { width: 300 }, 512, 768],
    [portrait, { width: 600 }, 683, 1024],
    [landscape, { width: 300, height: 100 }, 512, 341],
    [landscape, { width: 300, height: 300 }, 768, 512],
    [landscape, { width: 150, height: 100 }, 384, 256],
    [landscape, { width: 1500, height: 999 }, 1024, 683],
    [{ width: 5000, height: 1 }, { width: 100 }, 256, 1],
    [{ width: 1, height: 5000 }, { width: 100 }, 1, 1024]
  ] as const)
    t.test(`of ${picture.width} × ${picture.height} for ${JSON.stringify(asked)}`, async t => {
      t.same(fitInto(getFrame(asked, picture.width / picture.height), picture), { width, height })
    })
})
