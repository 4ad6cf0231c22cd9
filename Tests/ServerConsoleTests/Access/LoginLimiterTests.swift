import ServerConsole
import ServerRuntime
import ServerValues
import Testing

@Suite("How often a password may be tried (CO-13)")
struct LoginLimiterTests {
    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }
    private func address(_ number: Int) throws -> RemoteAddress {
        try #require(RemoteAddress(named: "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"))
    }

    @Test("Six times at once from one address, then once in ten seconds; who knew the password begins anew")
    func oneAddress() throws {
        var limiter = LoginLimiter(at: at(0))
        let one = try address(1)
        for _ in 0..<6 { #expect(limiter.attempt(from: one, at: at(0)) == nil) }
        let refused = limiter.attempt(from: one, at: at(0))
        let wait = try #require(refused)
        #expect((1...10).contains(wait))
        #expect(limiter.attempt(from: one, at: at(9)) != nil && limiter.attempt(from: one, at: at(10)) == nil)
        #expect(limiter.attempt(from: one, at: at(10)) != nil)
        #expect(limiter.attempt(from: try address(2), at: at(10)) == nil)
        limiter.succeed(from: one)
        #expect(limiter.attempt(from: one, at: at(10)) == nil)
    }

    @Test("All addresses together have thirty at once and two in a second")
    func allAddresses() throws {
        var limiter = LoginLimiter(at: at(0))
        var allowed = 0
        for number in 0..<200 where limiter.attempt(from: try address(number), at: at(0)) == nil { allowed += 1 }
        #expect(allowed == LoginLimiter.burstOfAll)
        allowed = 0
        for number in 200..<300 where limiter.attempt(from: try address(number), at: at(1)) == nil { allowed += 1 }
        #expect(allowed == 2)
        #expect(limiter.attempt(from: nil, at: at(1)) != nil)
    }

    @Test("However many addresses try, the table stays small, and forgets those that have been quiet")
    func bound() throws {
        var limiter = LoginLimiter(at: at(0))
        for number in 0..<5_000 { _ = limiter.attempt(from: try address(number), at: at(0)) }
        #expect(limiter.count == LoginLimiter.capacity)
        _ = limiter.attempt(from: try address(9_999), at: at(100))
        #expect(limiter.count == 1)
    }
}
