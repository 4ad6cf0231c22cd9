import RedisStoreEngine
import ServerCluster
import Testing

@Suite struct ClusterKeysTests {
    @Test func `CR-50: the keys of the only partition are those of versions without partitions`() throws {
        let keys = try #require(ClusterKeys(cluster: "eu"))
        let four = try #require(ClusterPartitions(4))
        #expect(keys.of(partition: 0, among: .one).name("log") == "{lifeline:eu}:log")
        #expect(keys.of(partition: 3, among: four).name("log") == "{lifeline:eu:3}:log")
        #expect(keys.pattern == "{lifeline:eu}:*" && keys.of(partition: 3, among: four).pattern == "{lifeline:eu:*}:*")
    }
}
