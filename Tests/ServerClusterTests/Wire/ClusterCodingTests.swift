import NIOCore
import ServerCluster
import Testing

/// Values of requests and facts survive the way, and bytes that were cut are noticed.
@Suite struct ClusterCodingTests {
    @Test func everyKindOfValueComesBack() throws {
        var buffer = ByteBuffer()
        buffer.write(text: "a\u{301}")
        buffer.write(bytes: [0, 255])
        buffer.write(flag: true)
        buffer.write(optional: 5 as Int64?) { $0.writeInteger($1) }
        buffer.write(optional: nil as Int64?) { $0.writeInteger($1) }
        buffer.write(list: ["x", ""]) { $0.write(text: $1) }
        let node = ClusterNode(name: "n", incarnation: 7)
        buffer.write(node: node)
        buffer.write(buffer: ByteBuffer(string: "inner"))
        var reader = buffer
        #expect(Array(try reader.text().utf8) == Array("a\u{301}".utf8))
        #expect(try reader.bytes() == [0, 255])
        #expect(try reader.flag())
        #expect(try reader.optional { (buffer) throws(ClusterCodingError) in try buffer.number(Int64.self) } == 5)
        #expect(try reader.optional { (buffer) throws(ClusterCodingError) in try buffer.number(Int64.self) } == nil)
        #expect(try reader.list { (buffer) throws(ClusterCodingError) in try buffer.text() } == ["x", ""])
        #expect(try reader.node() == node)
        #expect(try reader.buffer() == ByteBuffer(string: "inner"))
        try reader.end()
    }

    @Test func everyCutIsNoticed() throws {
        var buffer = ByteBuffer()
        buffer.write(list: ["one", "two"]) { $0.write(text: $1) }
        for length in 0..<buffer.readableBytes {
            guard var cut = buffer.getSlice(at: 0, length: length) else { return }
            #expect(throws: ClusterCodingError.self) {
                _ = try cut.list { (buffer) throws(ClusterCodingError) in try buffer.text() }
            }
        }
    }

    @Test func aCountThatIsNotTrueCostsNothing() {
        var buffer = ByteBuffer()
        buffer.writeInteger(UInt32.max)
        #expect(throws: ClusterCodingError.self) {
            _ = try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.text() }
        }
    }

    @Test("CR-9 What a batch says of a loss comes back, and a place that is cut is none")
    func placesComeBack() throws {
        let place = ClusterPosition(generation: 1_763_710_000_000, sequence: .max)
        let batch = ClusterBatch(
            position: place, previous: .origin, leader: ClusterNode(name: "n", incarnation: 7),
            items: [.forked(at: place), .opened])
        #expect(try ClusterBatch(batch.encoded()) == batch)
    }
}
