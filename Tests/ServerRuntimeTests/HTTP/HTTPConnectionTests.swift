import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import ServerValues
import Testing

@testable import ServerRuntime

@Suite("A connection that uses HTTP")
struct HTTPConnectionTests {
    private let eventLoop = EmbeddedEventLoop()
    private let context: ServerContext

    init() {
        let clock = ServerClock(monotonic: { MonotonicInstant(nanoseconds: 0) }, unixSeconds: { 0 })
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let settings = RuntimeSettings(host: "127.0.0.1", port: 0, clock: clock, logger: logger)
        context = ServerContext(settings, eventLoops: [eventLoop])
    }

    private func connection() throws -> HTTPConnection {
        HTTPConnection(host: ServerHost(context, []), loop: try #require(context.loops.first))
    }

    @Test("PV-2: Requests that waited for a client to read are answered as soon as it reads")
    func waitingRequests() throws {
        let channel = EmbeddedChannel(handler: try connection(), loop: eventLoop)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        let request = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
        try channel.writeInbound(ByteBuffer(string: request + request))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        for _ in 1...2 {
            let answer = try #require(try channel.readOutbound(as: ByteBuffer.self))
            #expect(String(buffer: answer).hasPrefix("HTTP/1.1 200 OK"))
        }
        #expect(try channel.finish().isClean)
    }

    @Test("SV-90: A socket that closes before it was active is counted no longer, and only once")
    func neverActive() throws {
        for _ in 1...2 { #expect(context.admission.withLockedValue { $0.openSocket() }) }
        let connection = try connection()
        let channel = EmbeddedChannel(handler: connection, loop: eventLoop)
        try channel.pipeline.syncOperations.removeHandler(connection).wait()
        #expect(context.admission.withLockedValue(\.sockets) == 1)
        #expect(context.loops.first?.state.requesters.all.isEmpty == true)
        #expect(try channel.finish().isClean)

        let other = EmbeddedChannel(handler: try self.connection(), loop: eventLoop)
        #expect(try other.finish().isClean)
        #expect(context.admission.withLockedValue(\.sockets) == 0)
        #expect(context.loops.first?.state.requesters.all.isEmpty == true)
    }
}
