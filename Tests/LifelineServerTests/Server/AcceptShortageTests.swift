import NIOCore
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Connections that cannot be accepted (SO-43)")
struct AcceptShortageTests {
    @Test("Want of descriptors or memory is waited out, told once in a while, and counted; a connection's own end is not")
    func pauses() {
        let log = LogLines()
        let shortage = AcceptShortage(logger: log.logger())
        let start = NIODeadline.now()
        let failure = { (code: CInt) in IOError(errnoCode: code, reason: "accept") }
        #expect(shortage.pause(after: failure(ECONNABORTED), now: start) == nil)
        #expect(log.all.isEmpty && shortage.failures == 0)
        for code in [EMFILE, ENFILE, ENOBUFS, ENOMEM] {
            #expect(shortage.pause(after: failure(code), now: start) == AcceptShortage.pause)
        }
        #expect(log.count(of: "cannot be accepted") == 1 && shortage.failures == 4)
        _ = shortage.pause(after: failure(ENOMEM), now: start + AcceptShortage.silence - .nanoseconds(1))
        #expect(log.count(of: "cannot be accepted") == 1)
        _ = shortage.pause(after: failure(ENOMEM), now: start + AcceptShortage.silence)
        #expect(log.count(of: "no memory") == 1 && shortage.failures == 6)
    }
}

@Suite("Descriptors that are kept for the admin port (CO-7)")
struct DescriptorReserveTests {
    @Test("As many are held as it says, given one after the other, and taken back")
    func reserve() {
        let reserve = DescriptorReserve(3)
        #expect(reserve.count == 3 && reserve.isFull)
        for _ in 0..<3 { #expect(reserve.release()) }
        #expect(!reserve.release() && reserve.count == 0 && !reserve.isFull)
        reserve.fill()
        #expect(reserve.count == 3)
        let none = DescriptorReserve(0)
        #expect(none.count == 0 && none.isFull && !none.release())
    }
}
