import ServerConsole
import ServerRuntime
import ServerValues
import Testing

@Suite("How often a password may be tried (CO-13)")
struct LoginLimiterTests {
    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }
    private func visitor(_ number: Int, session: String? = nil) throws -> LoginVisitor {
        let address = try #require(RemoteAddress(named: "10.\(number >> 16).\(number >> 8 & 255).\(number & 255)"))
        return LoginVisitor(address: address, session: session)
    }

    @Test("Six times at once from one address, then once in ten seconds; who knew the password begins anew")
    func oneAddress() throws {
        var limiter = LoginLimiter(at: at(0))
        let one = try visitor(1)
        for _ in 0..<6 { #expect(limiter.attempt(by: one, at: at(0)) == nil) }
        let refused = limiter.attempt(by: one, at: at(0))
        let wait = try #require(refused)
        #expect((1...10).contains(wait))
        #expect(limiter.attempt(by: one, at: at(9)) != nil && limiter.attempt(by: one, at: at(10)) == nil)
        #expect(limiter.attempt(by: one, at: at(10)) != nil)
        #expect(limiter.attempt(by: try visitor(2), at: at(10)) == nil)
        #expect(!limiter.isKnown(one))
        limiter.succeed(one, at: at(10))
        #expect(limiter.isKnown(one))
        for _ in 0..<6 { #expect(limiter.attempt(by: one, at: at(10)) == nil) }
        #expect(limiter.attempt(by: one, at: at(10)) != nil)
    }

    @Test("First attempts of all addresses are sixty at once and four in a second")
    func firsts() throws {
        var limiter = LoginLimiter(at: at(0))
        var allowed = 0
        for number in 0..<200 where limiter.attempt(by: try visitor(number), at: at(0)) == nil { allowed += 1 }
        #expect(allowed == LoginLimiter.burstOfFirsts)
        allowed = 0
        for number in 200..<300 where limiter.attempt(by: try visitor(number), at: at(1)) == nil { allowed += 1 }
        #expect(allowed == LoginLimiter.firstsPerSecond)
    }

    @Test("Later attempts of all addresses are thirty at once and two in a second, and so are those of unknown addresses")
    func later() throws {
        var limiter = LoginLimiter(at: at(0))
        for second in 0..<15 as Range<Int64> {
            for number in 0..<3 { _ = limiter.attempt(by: try visitor(Int(second) * 3 + number), at: at(second)) }
        }
        var allowed = 0
        for round in 0..<5 {
            for number in 0..<45 where limiter.attempt(by: try visitor(number), at: at(15)) == nil && round >= 2 { allowed += 1 }
        }
        #expect(allowed == LoginLimiter.burstOfAll)
        #expect(limiter.attempt(by: LoginVisitor(address: nil), at: at(15)) != nil)
        #expect(limiter.attempt(by: LoginVisitor(address: nil), at: at(16)) == nil)
        #expect(limiter.attempt(by: LoginVisitor(address: nil), at: at(16)) == nil)
        #expect(limiter.attempt(by: LoginVisitor(address: nil), at: at(16)) != nil)
    }

    @Test(
        "Two hundred addresses that go on guessing keep out neither who has logged in, nor a session, nor an address that begins")
    func storm() throws {
        var limiter = LoginLimiter(at: at(0))
        let owner = try visitor(9_000)
        #expect(limiter.attempt(by: owner, at: at(0)) == nil)
        limiter.succeed(owner, at: at(0))
        for second in 1...1_200 as ClosedRange<Int64> {
            for number in 0..<200 { _ = limiter.attempt(by: try visitor(number), at: at(second)) }
            guard second % 60 == 59 else { continue }
            #expect(limiter.attempt(by: owner, at: at(second)) == nil)
            #expect(limiter.attempt(by: try visitor(1, session: "s"), at: at(second)) == nil)
            // Every ten minutes the guessing addresses are first ones again, for a minute.
            guard second % 600 > 120 else { continue }
            #expect(limiter.attempt(by: try visitor(10_000 + Int(second)), at: at(second)) == nil, "\(second) s")
        }
    }

    @Test("Sessions and addresses that have logged in have a limit of their own each, and the longest unseen is forgotten")
    func known() throws {
        var limiter = LoginLimiter(at: at(0))
        for _ in 0..<6 { #expect(limiter.attempt(by: try visitor(1, session: "s"), at: at(0)) == nil) }
        #expect(limiter.attempt(by: try visitor(2, session: "s"), at: at(0)) != nil)
        #expect(limiter.attempt(by: try visitor(2, session: "t"), at: at(0)) == nil)
        for number in 0..<500 { limiter.succeed(try visitor(number), at: at(Int64(number))) }
        #expect(limiter.count == LoginLimiter.knownCapacity)
        let (first, last) = (try visitor(0), try visitor(499))
        #expect(!limiter.isKnown(first) && limiter.isKnown(last))
    }

    // Proof of CO-13.
    @Test("However many addresses try, the table stays small, and forgets those that have been quiet")
    func bound() throws {
        var limiter = LoginLimiter(at: at(0))
        for number in 0..<20_000 { _ = limiter.attempt(by: try visitor(number), at: at(0)) }
        #expect(limiter.count == LoginLimiter.capacity)
        // An address for which there is no room counts as one that begins.
        #expect(limiter.attempt(by: try visitor(30_000), at: at(100)) == nil)
        _ = limiter.attempt(by: try visitor(30_000), at: at(600))
        #expect(limiter.count == 1)
    }
}
