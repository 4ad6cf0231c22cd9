import ServerCluster
import Testing

@testable import PusherServer

/// The partitions of channels of the application 1001 among four, by the vectors of CR-80: `room` and `h` 0 and 1, `b` 2, `a` and `c` 3.
@Suite struct PublicationPartsTests {
    private let four: ClusterPartitions

    init() throws {
        four = try #require(ClusterPartitions(4))
    }

    private func request(_ event: String, _ channels: [String], info: ChannelAttributes = []) -> PublishRequest {
        PublishRequest(event: event, data: "d", channels: channels, excluded: nil, info: info)
    }

    private func text(_ parts: PublicationParts) -> [String] {
        parts.all.map { part in
            let requests = part.requests.map { "\($0.event)>\($0.channels.joined(separator: "+"))" }
            return "\(part.partition): \(requests.joined(separator: " "))"
        }
    }

    @Test("CP-75: Each partition gets the events of its channels, in the order of the request")
    func parts() {
        let many = PublicationParts([request("e", ["a", "room", "b", "c"])], of: "1001", four)
        #expect(text(many) == ["3: e>a+c", "0: e>room", "2: e>b"])
        let batch = ["a", "room", "a", "c", "room"].enumerated().map { request("\($0)", [$1]) }
        #expect(text(PublicationParts(batch, of: "1001", four)) == ["3: 0>a 2>a 3>c", "0: 1>room 4>room"])
        #expect(text(PublicationParts(batch, of: "1001", .one)) == ["0: 0>a 1>room 2>a 3>c 4>room"])
        #expect(PublicationParts([], of: "1001", four).all.isEmpty)
    }

    @Test("CP-75: Events for users stay with their application")
    func reserved() {
        #expect(text(PublicationParts([request("e", ["#server-to-user-a"])], of: "1001", four)) == ["1: e>#server-to-user-a"])
    }

    @Test("CP-75: Attributes of channels come in the order of the request, wherever the channels are")
    func attributes() {
        let parts = PublicationParts(
            [
                request("1", ["a", "room", "b", "c"], info: .subscriptionCount), request("2", ["h"]),
                request("3", ["room"], info: .userCount),
            ], of: "1001", four)
        let answers = parts.all.map { part in
            part.requests.filter { !$0.info.isEmpty }.flatMap { request in request.channels.map { request.event + $0 } }
        }
        #expect(parts.attributes(from: answers) == ["1a", "1room", "1b", "1c", "3room"])
        // A partition that answers too little cannot shift the attributes of others.
        #expect(parts.attributes(from: answers.map { Array($0.prefix(1)) }) == ["1a", "1room", "1b", "{}", "{}"])
        #expect(parts.attributes(from: []) == ["{}", "{}", "{}", "{}", "{}"])
    }
}
