import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("How many processors a process may use (rule SO-50)")
struct ProcessorAllowanceTests {
    @Test(
        "The least of affinity and quota, rounded up, and never none",
        arguments: [
            (8, nil, 8), (1, nil, 1), (0, nil, 1), (8, 2, 2), (8, 1.5, 2), (8, 0.1, 1), (2, 4, 2), (2, 2.01, 2), (64, 63.2, 64),
            (4, 1e300, 4),
        ] as [(Int, Double?, Int)])
    func count(processors: Int, quota: Double?, expected: Int) {
        #expect(ProcessorAllowance(processors: processors, quota: quota).count == expected)
    }

    @Test("Of several quotas the least holds")
    func least() {
        var allowance = ProcessorAllowance(processors: 8)
        for quota in [nil, 4, 1.5, nil, 6] as [Double?] { allowance.limit(to: quota) }
        #expect(allowance.quota == 1.5 && allowance.count == 2)
    }

    @Test(
        "cpu.max of version 2",
        arguments: [
            ("max 100000\n", nil), ("150000 100000\n", 1.5), ("100000 100000", 1), ("5000 100000\n", 0.05),
            ("1 1000000\n", 0.001), ("", nil), ("max", nil), ("100000", nil), ("0 100000", nil), ("-1 100000", nil),
            ("100000 0", nil), ("1 2 3", nil),
            ("x 100000", nil), ("99999999999999999999 1", nil),
        ] as [(String, Double?)])
    func version2(text: String, expected: Double?) {
        #expect(ControlGroupFile.quota(cpuMax: text) == expected)
    }

    @Test(
        "Quota and period of version 1",
        arguments: [
            ("-1\n", "100000\n", nil), ("200000\n", "100000\n", 2), ("25000\n", "50000\n", 0.5), ("100000\n", "", nil),
            ("", "100000", nil), ("0", "100000", nil), ("100000", "0", nil), ("1 2", "100000", nil),
        ] as [(String, String, Double?)])
    func version1(quota: String, period: String, expected: Double?) {
        #expect(ControlGroupFile.quota(cfsQuota: quota, period: period) == expected)
    }

    @Test(
        "Where a process is in the trees",
        arguments: [
            ("0::/\n", "/", nil), ("0::/user.slice/a:b\n", "/user.slice/a:b", nil),
            ("12:cpu,cpuacct:/docker/x\n1:name=systemd:/docker/x\n0::/system.slice\n", "/system.slice", "/docker/x"),
            ("3:cpuset:/a\n4:cpu:/b\n", nil, "/b"), ("", nil, nil), ("nonsense\n0::\n5:cpu:relative\n", nil, nil),
        ] as [(String, String?, String?)])
    func place(text: String, unified: String?, processors: String?) {
        let place = ControlGroupFile.Place(text)
        #expect(place.unified == unified && place.processors == processors)
    }

    @Test(
        "The processors of an affinity",
        arguments: [
            ("0", 1), ("0-1", 2), ("0-3,8", 5), ("1,3,5", 3), ("0-63,128-191", 128), ("7-7", 1), ("", nil), ("3-1", nil),
            ("0-", nil), ("0-1-2", nil), ("x", nil), ("0,,1", 2), ("99999", nil),
        ] as [(String, Int?)])
    func affinity(list: String, expected: Int?) {
        #expect(AffinityFile.count("Name:\ta\nCpus_allowed:\tff\nCpus_allowed_list:\t\(list)\nMems_allowed:\t1\n") == expected)
        #expect(AffinityFile.count("Name:\ta\n") == nil)
    }

    @Test("A group's own limit counts as well as those of all that it lies in")
    func ancestry() {
        #expect(ControlGroupFile.ancestry(of: "/a/b/c") == ["/a/b/c", "/a/b", "/a", ""])
        #expect(ControlGroupFile.ancestry(of: "/") == [""])
        #expect(ControlGroupFile.ancestry(of: "/../other") == [""])
    }

    @Test("This machine gives at least one, and no more than it has")
    func system() {
        #expect(SystemProcessors.allowance.count >= 1)
        #expect(SystemProcessors.allowance.processors <= 4096)
    }

    @Test("A server that is not told otherwise has as many threads as there are processors; one that is told has those")
    func server() async throws {
        try await withServer { server in #expect(server.threads == min(SystemProcessors.allowance.count, 64)) }
        try await withServer(quietApplication, { $0.threads = 3 }) { server in #expect(server.threads == 3) }
    }
}
