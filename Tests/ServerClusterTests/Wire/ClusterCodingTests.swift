import ClusterTestSupport
import NIOCore
import ServerCluster
import ServerRuntime
import Testing

/// What nodes and their leader send each other, apart from what services put into it.
@Suite struct ClusterCodingTests {
    private let node = ClusterNode(name: "a", incarnation: 7)
    private let here = ClusterNode(name: "here", incarnation: 1)
    private let there = ClusterNode(name: "there", incarnation: 2)
    private let session = ClusterSession(incarnation: 7, session: 2)
    private let place = ClusterPosition(generation: 1_763_710_000_000, sequence: .max)

    private var batch: ClusterBatch {
        ClusterBatch(
            position: place, previous: .origin, leader: node,
            items: [
                .fact(.pusher, .all, ByteBuffer(string: "a")), .fact(.chat, .node(here), ByteBuffer(string: "b")),
                .fact(.pubnub, .others(there), ByteBuffer()), .answer(session, number: 3, ByteBuffer(string: "c")),
                .taken(session, upTo: 4), .expelled(session), .opened, .forked(at: place),
            ])
    }

    @Test func `CR-66: batches, requests and answers of the version before are read, also with later fields`() throws {
        #expect(try RecordedValues.failures(of: [batch], recordedAs: "ClusterBatch") == [])
        #expect(try RecordedValues.failures(of: [place], recordedAs: "ClusterPosition") == [])
        let answers = ClusterAnswers(
            generation: 5, session: session,
            pieces: [
                .init(number: 1, request: 2, isLast: false, payload: ByteBuffer(string: "a")),
                .init(number: 2, request: 2, isLast: true, payload: ByteBuffer()),
            ])
        #expect(try RecordedValues.failures(of: [answers], recordedAs: "ClusterAnswers") == [])
        let requests = ClusterRequests(
            generation: 5, node: node, session: 2, isFarewell: true, received: 9,
            requests: [
                .init(number: 1, kind: .request, service: .chat, payload: ByteBuffer(string: "a")),
                .init(number: 2, kind: .announced, service: nil, payload: ByteBuffer()),
            ])
        #expect(try RecordedValues.failures(of: [requests], recordedAs: "ClusterRequests") == [])
        #expect(try ClusterRequests(decoding: requests.encoded()) == requests)
        #expect(try ClusterBatch(decoding: batch.encoded(.tagged)) == batch)
        var answer = HTTPAnswer(status: 429, .json, Array("{}".utf8))
        answer.fields = [("retry-after", "1")]
        answer.hasRecordedFields = true
        #expect(try RecordedValues.failures(of: [answer], recordedAs: "HTTPAnswer") == [])
    }

    @Test func `CR-9: what a batch says of a loss comes back, and a place that is cut is none`() throws {
        let batch = ClusterBatch(position: place, previous: .origin, leader: node, items: [.forked(at: place), .opened])
        let bytes = batch.encoded()
        #expect(try ClusterBatch(decoding: bytes) == batch)
        for length in 0..<bytes.readableBytes {
            let cut = try #require(bytes.getSlice(at: 0, length: length))
            #expect(throws: ClusterCodingError.self) { try ClusterBatch(decoding: cut) }
        }
    }
}
