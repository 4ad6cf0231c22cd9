import ServerStorage
import Testing

@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What one address has of what an application shares (SP-68, RV-16, RV-17)")
struct AddressSharesTests {
    private let one = RemoteAddress(named: "192.0.2.1")
    private let other = RemoteAddress(named: "192.0.2.2")

    private func shares(_ clock: ManualClock = ManualClock()) -> AddressShares {
        AddressShares(clock: clock.clock, limitsLoopback: false)
    }

    @Test("Addresses of this machine are not limited unless the server says so")
    func loopback() {
        let visitor = RequestOrigin([], usesTLS: false, address: "127.0.0.1", trustsProxyHeaders: false)
        #expect(shares().address(of: visitor) == nil)
        #expect(AddressShares(clock: ManualClock().clock, limitsLoopback: true).address(of: visitor) != nil)
    }

    @Test(
        "A share is a part of the limit, at least 100 connections or one connection's channels, and never nothing",
        arguments: [
            (nil, 10, nil), (50, 10, 50), (500, 10, 100), (5_000, 10, 500), (5_000, 50, 2_500), (5_000, 100, nil), (0, 10, 1),
        ]
            as [(Int?, Int, Int?)])
    func connections(_ limit: Int?, _ share: Int, _ expected: Int?) {
        #expect(ApplicationLimits(connections: limit, addressShare: share).connectionsOfAddress == expected)
    }

    @Test("The share of subscriptions is that of channels, too")
    func subscriptions() {
        #expect(ApplicationLimits().subscriptionsOfAddress == 100_000)
        #expect(ApplicationLimits(channels: 200_000).subscriptionsOfAddress == 20_000)
        #expect(ApplicationLimits(subscriptions: 200_000).subscriptionsOfAddress == 20_000)
        #expect(ApplicationLimits(channels: 10_000).subscriptionsOfAddress == 10_000)
        #expect(ApplicationLimits(channels: .max, subscriptions: .max).subscriptionsOfAddress != nil)
        #expect(ApplicationLimits(addressShare: 100).subscriptionsOfAddress == nil)
    }

    @Test(
        "The clients of an address begin so many histories in the time of one; others begin theirs, and nothing stays of it (RV-16)"
    )
    func histories() {
        let clock = ManualClock()
        let shares = shares(clock)
        var application = quietApplication
        application.recovery = RecoverySettings(lifetime: .seconds(100), bytes: 676_000)
        application.limits.channelsPerConnection = 50
        // A tenth of 676,000 bytes are a hundred histories of 512 and 164 bytes.
        for _ in 0..<100 { #expect(shares.takeHistory(application, one)) }
        #expect(!shares.takeHistory(application, one))
        #expect(shares.takeHistory(application, other) && shares.takeHistory(application, nil))
        shares.returnHistory(application, one)
        #expect(shares.takeHistory(application, one) && !shares.takeHistory(application, one))
        clock.advance(by: 1)
        #expect(shares.takeHistory(application, one) && !shares.takeHistory(application, one))
        clock.advance(by: 100)
        for address in [one, other] {
            #expect(shares.openConnection(application, address))
            shares.closeConnection(application.id, address)
        }
        #expect(shares.count == 0)
    }

    @Test("An address has an eighth of the room for replays, all together have all of it, and it is given back (RV-17)")
    func replays() {
        let (shares, id) = (shares(), quietApplication.id)
        let all = AddressShares.replayLimit
        for address in [one, other] {
            #expect(shares.openConnection(quietApplication, address))
            #expect(shares.reserveReplay(all, of: id, from: address) == all / 8)
            #expect(shares.reserveReplay(1, of: id, from: address) == 0)
        }
        #expect(shares.reserveReplay(all, of: id, from: nil) == all / 4 * 3)
        #expect(shares.reserveReplay(1, of: id, from: nil) == 0)
        shares.releaseReplay(all / 8, of: id, from: one)
        #expect(shares.reserveReplay(all, of: id, from: one) == all / 8)
    }
}
