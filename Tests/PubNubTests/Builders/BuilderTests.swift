import Foundation
import Testing

@testable import PubNub

/// Builders: the same calls, one argument after the other (rule PL-73).
struct BuilderTests {
    static let sent = #"[1,"Sent","15782703013118714"]"#

    @Test func `publishing takes its arguments in any order`() throws {
        let fixture = Fixture.answering(Self.sent)
        let heard = Heard<PNPublishStatus>()
        fixture.client.publish().message("m").channel("c").shouldStore(true).compress(false).ttl(24).metadata(["k": "v"])
            .payloads([:]).replicate(true).queryParam(["x": "y", "n": 5]).performWithCompletion { heard.add($0) }
        #expect(heard.last?.data.timetoken == 15_782_703_013_118_714)
        #expect(fixture.line() == "GET /publish/pub/sub/0/c/0/%22m%22?ttl=24&meta=%7B%22k%22%3A%22v%22%7D&n=5&x=y")
        fixture.client.publish().channel("c").message("m").compress(true).performWithCompletion(nil)
        #expect(fixture.lastLine == "POST /publish/pub/sub/0/c/0")
        fixture.client.fire().channel("c").message("m").performWithCompletion { heard.add($0) }
        #expect(fixture.lastLine == "GET /publish/pub/sub/0/c/0/%22m%22?store=0&norep=true")
        fixture.client.signal().channel("c").message("m").performWithCompletion { _ in }
        #expect(fixture.lastLine == "GET /signal/pub/sub/0/c/0/%22m%22")
    }

    @Test func `a builder without a message is refused`() {
        let fixture = Fixture.answering(Self.sent)
        let heard = Heard<PNSignalStatus>()
        fixture.client.signal().channel("c").performWithCompletion { heard.add($0) }
        #expect(heard.last?.errorData.information == "The signal has no message. Pass a message.")
    }

    @Test func `sizes and the time have builders too`() {
        let fixture = Fixture.answering("[17]")
        let sizes = Heard<Int>()
        fixture.client.size().channel("c").message("m").performWithCompletion { sizes.add($0) }
        #expect((sizes.last ?? 0) > 100)
        let times = Outcomes<PNTimeResult>()
        fixture.client.time().queryParam(["a": "b"]).performWithCompletion { times.add(($0, $1)) }
        #expect(times.last?.result?.data.timetoken == 17)
        #expect(fixture.line() == "GET /time/0?a=b")
    }

    @Test func `history takes its arguments in any order`() {
        let fixture = Fixture.answering("[[],0,0]", #"{"status":200,"error":false}"#)
        fixture.client.history().limit(5).channel("c").start(2).end(1).reverse(true).includeTimeToken(true)
            .performWithCompletion { _, _ in }
        #expect(
            fixture.line() == "GET /v2/history/sub-key/sub/channel/c?count=5&start=1&end=2&reverse=true&include_token=true")
        fixture.client.deleteMessage().channel("c").start(1).performWithCompletion { _ in }
        #expect(fixture.lastLine == "DELETE /v3/history/sub-key/sub/channel/c?start=1")
    }

    @Test func `subscribing is one command with everything`() {
        let fixture = Fixture()
        fixture.client.subscribe().channels(["a"]).channelGroups(["g"]).presenceChannels(["p"]).withPresence(true)
            .withTimetoken(17).state(["a": ["k": 1]]).perform()
        #expect(
            fixture.engine.log == [#"subscribe a,a-pnpres,p-pnpres,group:g,group:g-pnpres from 17 a={"k":1}"#, "connect"])
        #expect(fixture.client.channels() == ["a"])
        fixture.engine.forgetLog()
        fixture.client.unsubscribe().channels(["a"]).withPresence(true).perform()
        #expect(fixture.engine.log.first == "unsubscribe a,a-pnpres")
        fixture.engine.forgetLog()
        fixture.client.unsubscribe().presenceChannels(["p"]).perform()
        #expect(fixture.engine.log.first == "unsubscribe p-pnpres")
        fixture.engine.forgetLog()
        fixture.client.unsubscribe().perform()
        #expect(fixture.engine.log.isEmpty)
    }

    @Test func `presence by hand needs a client that is set up for it`() throws {
        let heard = Heard<PNStatus>()
        let usual = Fixture()
        usual.client.presence().connected(true).channels(["a"]).performWithCompletion { heard.add($0) }
        #expect(heard.last?.category == .PNBadRequestCategory && usual.engine.log.isEmpty)
        let fixture = Fixture { $0.managePresenceListManually = true }
        fixture.client.presence().connected(true).channels(["a"]).channelGroups(["g"]).state(["a": ["k": 1]])
            .performWithCompletion { heard.add($0) }
        #expect(fixture.engine.log == [#"state a={"k":1}"#, "present true a,group:g", "connect"])
        #expect(heard.last?.category == .PNAcknowledgmentCategory && heard.last?.operation == .heartbeatOperation)
        fixture.engine.forgetLog()
        fixture.client.presence().connected(false).channels(["a"]).performWithCompletion(nil)
        #expect(fixture.engine.log == ["present false a"])
        fixture.client.presence().connected(true).performWithCompletion { heard.add($0) }
        #expect(heard.last?.category == .PNBadRequestCategory)
    }
}
