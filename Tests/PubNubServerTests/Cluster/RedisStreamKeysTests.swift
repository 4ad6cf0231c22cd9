import ClusterTestSupport
import Identifiers
import Testing

@testable import PubNubServer

@Suite struct RedisStreamKeysTests {
    private let keys = RedisStreamKeys(reader: InProcessCluster.Store())

    @Test("DC-12: The names of histories say of which keyset and channel they are")
    func histories() throws {
        let prefix = keys.histories.name
        let names: [Identifier] = ["", "a", ":", "::", "%", "%3A", "%253A", "a:b%25", "%3", "ünï:ç", "cafe\u{301}"]
        for keyset in names {
            for channel in names {
                let name = keys.history(keyset, channel).name
                #expect(name.hasPrefix(prefix))
                let found = try #require(RedisStreamKeys.history(String(name.dropFirst(prefix.count))))
                #expect(found.keyset == keyset && found.channel == channel, "\(name)")
            }
        }
        #expect(RedisStreamKeys.history("") == nil)
        #expect(RedisStreamKeys.history("keyset") == nil)
        #expect(RedisStreamKeys.history("%zz:room")?.keyset == "%zz")
    }
}
