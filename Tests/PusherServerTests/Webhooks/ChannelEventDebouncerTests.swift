import ServerValues
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Which news are told, and when (SW-10 to SW-15)")
struct ChannelEventDebouncerTests {
    /// A desk with a clock.
    private final class Desk {
        private var value = ChannelEventDebouncer()
        var now = MonotonicInstant.seconds(100)

        func take(_ kind: ChannelWebhookEvent.Kind, _ channel: String = "x") -> [ChannelWebhookEvent.Kind] {
            value.take(ChannelWebhookEvent(kind, on: channel), at: now).map(\.kind)
        }

        func filled(_ channel: String = "x") { value.filled(channel) }

        /// What time brings.
        func pass(_ duration: Duration) -> [ChannelWebhookEvent.Kind] {
            now = now.advanced(by: duration)
            return value.release(at: now).map(\.kind)
        }

        func releaseAll() -> [ChannelWebhookEvent.Kind] { value.release(at: now, all: true).map(\.kind) }
        var due: MonotonicInstant? { value.due }
    }

    private let event = PusherClientEvent(name: "client-e", channel: "x", data: "{}", userID: nil)

    @Test("What comes is told at once, what goes three seconds later")
    func delay() {
        let desk = Desk()
        #expect(desk.due == nil)
        #expect(desk.take(.occupied) == [.occupied])
        #expect(desk.take(.memberAdded(user: "a")) == [.memberAdded(user: "a")])
        #expect(desk.take(.memberRemoved(user: "a")) == [])
        #expect(desk.take(.vacated) == [])
        #expect(desk.due == .seconds(103))
        #expect(desk.pass(.milliseconds(2999)) == [])
        #expect(desk.pass(.milliseconds(1)) == [.memberRemoved(user: "a"), .vacated])
        #expect(desk.due == nil)
        #expect(desk.pass(.seconds(10)) == [])
        #expect(desk.take(.occupied) == [.occupied])
    }

    @Test("Who is back within three seconds was never away: neither the end nor the beginning is told")
    func back() {
        let desk = Desk()
        for _ in 0..<5 {
            #expect(desk.take(.memberRemoved(user: "a")) == [])
            #expect(desk.take(.vacated) == [])
            #expect(desk.pass(.seconds(2)) == [])
            #expect(desk.take(.occupied) == [])
            #expect(desk.take(.memberAdded(user: "a")) == [])
        }
        #expect(desk.pass(.seconds(60)) == [])
        // The last absence counts, not an earlier one that was called off.
        #expect(desk.take(.vacated) == [])
        #expect(desk.pass(.seconds(2)) == [])
        #expect(desk.take(.occupied) == [])
        #expect(desk.take(.vacated) == [])
        #expect(desk.pass(.seconds(2)) == [])
        #expect(desk.pass(.seconds(1)) == [.vacated])
    }

    @Test("A channel that one user leaves and another one enters was never vacated, and both users are told")
    func handover() {
        let desk = Desk()
        #expect(desk.take(.memberRemoved(user: "a")) == [])
        #expect(desk.take(.vacated) == [])
        #expect(desk.take(.occupied) == [])
        #expect(desk.take(.memberAdded(user: "b")) == [.memberAdded(user: "b")])
        #expect(desk.pass(.seconds(3)) == [.memberRemoved(user: "a")])
    }

    @Test("Channels and users are told apart")
    func apart() {
        let desk = Desk()
        #expect(desk.take(.vacated, "x") == [])
        #expect(desk.take(.occupied, "y") == [.occupied])
        #expect(desk.take(.memberRemoved(user: "a"), "y") == [])
        #expect(desk.take(.memberAdded(user: "b"), "y") == [.memberAdded(user: "b")])
        #expect(desk.take(.memberAdded(user: "a"), "z") == [.memberAdded(user: "a")])
        #expect(desk.pass(.seconds(3)) == [.vacated, .memberRemoved(user: "a")])
    }

    @Test("Counts and client events are told as they come")
    func others() {
        let desk = Desk()
        let news: [ChannelWebhookEvent.Kind] = [
            .subscriptionCount(3), .clientEvent(event, sender: SocketID(high: 1, low: 2)), .subscriptionCount(3),
        ]
        for kind in news { #expect(desk.take(kind) == [kind]) }
    }

    @Test("A cache miss is told once, until the channel is filled or half an hour has passed")
    func misses() {
        let desk = Desk()
        #expect(desk.take(.cacheMiss) == [.cacheMiss])
        #expect(desk.take(.cacheMiss) == [])
        #expect(desk.take(.cacheMiss, "y") == [.cacheMiss])
        desk.filled()
        #expect(desk.take(.cacheMiss) == [.cacheMiss])
        #expect(desk.take(.cacheMiss, "y") == [])
        _ = desk.pass(.seconds(1799))
        #expect(desk.take(.cacheMiss) == [])
        _ = desk.pass(.seconds(1))
        #expect(desk.take(.cacheMiss) == [.cacheMiss])
        #expect(desk.take(.cacheMiss) == [])
        #expect(desk.take(.cacheMiss, "y") == [.cacheMiss])
    }

    // Proof of SW-15.
    @Test("Whoever makes up channels cannot make the desk remember without end")
    func bounded() {
        let desk = Desk()
        let limit = ChannelEventDebouncer.capacity
        var told: [ChannelWebhookEvent.Kind] = []
        for number in 0..<(limit + 10) { told += desk.take(.vacated, "c\(number)") }
        // The oldest are told early rather than not at all.
        #expect(told.count == 10)
        #expect(desk.releaseAll().count == limit)
        for number in 0..<(limit + 10) { #expect(desk.take(.cacheMiss, "c\(number)") == [.cacheMiss]) }
        #expect(desk.take(.cacheMiss, "c\(limit)") == [])
        #expect(desk.take(.cacheMiss, "c0") == [.cacheMiss])
        // One channel that comes and goes all the time is as bounded.
        for _ in 0..<(3 * limit) {
            _ = desk.take(.vacated)
            _ = desk.take(.occupied)
            _ = desk.take(.cacheMiss)
            desk.filled()
        }
        #expect(desk.releaseAll() == [])
    }
}
