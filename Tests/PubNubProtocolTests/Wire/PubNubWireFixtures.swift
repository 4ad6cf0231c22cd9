import ConnectionEngine

@testable import PubNubProtocol

/// Elements as the service sent them, and what reads them.
enum PubNubWire {
    static let messages: [String] = [
        #"{"a":"5","f":0,"i":"Serhii","s":1,"p":{"t":"15808216792242557","r":12},"k":"demo","c":"test-channel1","d":{"test-message":["message"]},"b":"test-channel-group1"}"#,
        #"{"a":"5","f":0,"i":"serhii","s":185,"p":{"t":"15782703013118714","r":12},"k":"demo","c":"test-channel","u":{"access-level":"editor"},"d":"Hello there"}"#,
        #"{"a":"5","f":0,"i":"ruby-test-uuid-client-two","s":503,"o":{"t":"14654005804445482"},"p":{"t":"14654005804762109","r":12},"k":"sub-a-mock-key","c":"demo.ruby","d":"test_message","b":"demo.*"}"#,
        #"{"a":"5","f":0,"e":1,"i":"serhii","p":{"t":"15782703064777659","r":12},"k":"demo","c":"test-channel","d":{"hello":"there"}}"#,
        #"{"a":"5","f":0,"e":3,"i":"serhii","p":{"t":"15782701614559434","r":12},"k":"demo","c":"test-channel","d":{"source":"actions","version":"1.0","data":{"messageTimetoken":"15782701574872716","type":"custom","value":"test-value","actionTimetoken":"15782701613560578"},"event":"added"}}"#,
        #"{"a":"5","f":0,"e":2,"p":{"t":"16027064963065890","r":12},"k":"sub-a-mock-key","c":"rb_channel_3","d":{"source":"objects","version":"2.0","event":"set","type":"channel","data":{"custom":{"XXX":"YYYY"},"eTag":"AZTUtcvx6NDGLQ","id":"rb_channel_3","name":"some_name","updated":"2020-10-14T20:14:56.301877Z"}}}"#,
        #"{"a":"5","f":0,"i":"u","cmt":"text-message","p":{"t":"17300000000000001","r":1},"k":"demo","c":"test-channel","d":"é\u00e9\n🍵"}"#,
    ]

    static let presence: [String] = [
        #"{"a":"5","f":0,"p":{"t":"15800701747899763","r":12},"k":"demo","c":"test-channel1-pnpres","u":{"pn_action":"join","pn_uuid":"serhii","pn_timestamp":1580070174,"pn_occupancy":1,"pn_ispresence":1,"pn_channel":"test-channel1"},"d":{"action":"join","uuid":"serhii","timestamp":1580070174,"occupancy":1},"b":"test-channel1-pnpres"}"#,
        #"{"a":"5","f":0,"p":{"t":"15800701777899763","r":12},"k":"demo","c":"test-channel1-pnpres","d":{"action":"state-change","uuid":"serhii","timestamp":1580070177,"data":{"channel1-state":["…"]},"occupancy":1},"b":"test-channel1-pnpres"}"#,
        #"{"a":"2","f":0,"p":{"t":"14720341361234567","r":2},"k":"demo","c":"hb-ch-pnpres","d":{"action":"timeout","timestamp":1472034136,"uuid":"hb","occupancy":1},"b":"hb-ch-pnpres"}"#,
        #"{"a":"4","f":0,"p":{"t":"14909585851234567","r":1},"k":"demo","c":"demo-pnpres","d":{"action":"interval","timestamp":1490958585,"occupancy":4,"join":["Client-d39lr"]}}"#,
        #"{"a":"4","f":0,"p":{"t":"14909585861234567","r":1},"k":"demo","c":"nul-channel.*-pnpres","d":{"action":"interval","timestamp":1490958586,"occupancy":9,"here_now_refresh":true},"b":"nul-channel.*"}"#,
    ]

    static func answer(_ elements: [String], timetoken: String = #""15808216792242600""#, region: String = "12") -> String {
        #"{"t":{"t":\#(timetoken),"r":\#(region)},"m":["# + elements.joined(separator: ",") + "]}"
    }

    static func decode(
        _ body: [UInt8], status: Int = 200, type: String? = "text/javascript; charset=\"UTF-8\"", retryAfter: Duration? = nil,
        isPoll: Bool = true
    ) -> PubNubAnswer {
        var decoder = PubNubAnswerDecoder()
        return decode(&decoder, body, status: status, type: type, retryAfter: retryAfter, isPoll: isPoll)
    }

    static func decode(
        _ decoder: inout PubNubAnswerDecoder, _ body: [UInt8], status: Int = 200, type: String? = "application/json",
        retryAfter: Duration? = nil, isPoll: Bool = true
    ) -> PubNubAnswer {
        body.withUnsafeBytes {
            decoder.decode(HTTPAnswerHead(status: status, contentType: type, retryAfter: retryAfter), body: $0, isPoll: isPoll)
        }
    }

    static func decode(_ body: String, status: Int = 200) -> PubNubAnswer {
        decode(Array(body.utf8), status: status)
    }
}

extension PubNubAnswer {
    var cursor: PubNubCursor? {
        guard case .subscribed(let cursor, _) = self else { return nil }
        return cursor
    }

    var messages: [PubNubMessage]? {
        guard case .subscribed(_, let messages) = self else { return nil }
        return messages
    }

    /// An answer without the elements that could not be read.
    var part: (cursor: PubNubCursor, messages: [PubNubMessage], unreadable: Int)? {
        guard case .partlyRead(let cursor, let messages, let unreadable) = self else { return nil }
        return (cursor, messages, unreadable)
    }

    var problem: PubNubProblem? {
        guard case .problem(let problem) = self else { return nil }
        return problem
    }

    var body: [UInt8]? {
        guard case .other(let body) = self else { return nil }
        return body
    }
}
