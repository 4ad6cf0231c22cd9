import ConnectionEngine
import Lifeline
import Testing

@testable import LifelineCommand

@Suite("The lines of listen --json")
struct ListenLineTests {
    @Test("CL-1: each kind has exactly the keys of the design, in its order")
    func exactText() {
        let status = ListenLine.Status(
            word: .connected, category: "connected", attempt: 0, retryIn: nil, willRetry: false, isError: false, code: nil,
            reason: "Up.", vendor: "connected")
        expect(
            .status(status),
            #""ev":"status","status":"connected","category":"connected","attempt":0,"retry_in":null,"will_retry":false,"#
                + #""error":false,"code":null,"reason":"Up.","vendor":"connected"}"#)
        let retry = ListenLine.Status(
            word: .reconnecting, category: "timeout", attempt: 2, retryIn: .milliseconds(1_234), willRetry: true, isError: true,
            code: 4200, reason: "\"quoted\"\n", vendor: "reconnecting")
        expect(
            .status(retry),
            #""ev":"status","status":"reconnecting","category":"timeout","attempt":2,"retry_in":1.234,"will_retry":true,"#
                + #""error":true,"code":4200,"reason":"\"quoted\"\n","vendor":"reconnecting"}"#)
        expect(.subscribed(channel: "room"), #""ev":"subscribed","ch":"room"}"#)
        expect(
            .message(channel: "room", event: "new-price", data: #"{"any":"json"}"#, id: nil, user: nil),
            #""ev":"msg","ch":"room","event":"new-price","data":{"any":"json"},"id":null,"user":null}"#)
        expect(
            .message(channel: "room", event: "e", data: "1", id: "17", user: "ann"),
            #""ev":"msg","ch":"room","event":"e","data":1,"id":"17","user":"ann"}"#)
        expect(
            .gap(channel: "room", since: Moment(nanoseconds: 3_000_000_000)), #""ev":"gap","ch":"room","since":3.000000}"#)
        expect(
            .presence(channel: "presence-room", action: "join", user: "u1", count: 3),
            #""ev":"presence","ch":"presence-room","action":"join","user":"u1","count":3}"#)
        expect(
            .error(channel: "room", category: "accessDenied", code: 403, reason: "No."),
            #""ev":"error","ch":"room","category":"accessDenied","code":403,"reason":"No."}"#)
        expect(
            .error(channel: nil, category: "badRequest", code: nil, reason: "No."),
            #""ev":"error","ch":null,"category":"badRequest","code":null,"reason":"No."}"#)
        expect(
            .published(channel: "room", outcome: "accepted", id: "x"),
            #""ev":"published","ch":"room","outcome":"accepted","id":"x"}"#)
        expect(.unsubscribed(channel: "room"), #""ev":"unsubscribed","ch":"room"}"#)
        expect(
            .notice(ServiceNotice(.subscriptionCount, channel: "room", data: #"{"count":3}"#)),
            #""ev":"notice","name":"subscriptionCount","ch":"room","data":{"count":3}}"#)
        expect(.notice(ServiceNotice(.signedIn)), #""ev":"notice","name":"signedIn","ch":null,"data":null}"#)
    }

    @Test("CL-1: a line stays one line, whatever white space the payload has")
    func oneLine() {
        let line = ListenLine(
            at: .zero, subscriber: "a",
            content: .message(channel: "r", event: "e", data: "{\"a\":\r\n [1,\n2]}", id: nil, user: nil))
        #expect(line.json { _ in "T" }.hasSuffix(#""data":{"a": [1,2]},"id":null,"user":null}"#))
    }

    @Test(
        "Times are seconds with a fixed number of digits",
        arguments: [
            (1_020_000_000, 6, "1.020000"), (5, 6, "0.000000"), (999_999_999, 3, "0.999"), (-1_500_000_000, 2, "-1.50"),
            (Int64.max, 0, "9223372036."),
        ] as [(Int64, Int, String)])
    func seconds(nanoseconds: Int64, digits: Int, text: String) {
        #expect(Seconds.text(nanoseconds: nanoseconds, digits: digits) == text)
    }

    private func expect(_ content: ListenLine.Content, _ rest: String, _ location: SourceLocation = #_sourceLocation) {
        let line = ListenLine(at: Moment(nanoseconds: 1_020_000_000), subscriber: "a", content: content)
        #expect(line.json { _ in "T" } == #"{"t":1.020000,"time":"T","sub":"a","# + rest, sourceLocation: location)
    }
}
