import ServerRuntime

// The metrics of applications that are made at run time (rule AR-18).
extension RuntimeApplications {
    var metrics: [@Sendable (inout PrometheusText) -> Void] {
        guard hasStore else { return [] }
        return [
            { [weak self] out in
                guard let self else { return }
                out.value(
                    "runtime_applications", .gauge,
                    help: "Applications created at run time that this server has read from the store.",
                    table.applications.count)
                out.value(
                    "runtime_applications_readable", .gauge,
                    help:
                        "0 while the store of applications created at run time cannot be read; changes made on other servers are missed.",
                    trouble == nil ? 1 : 0)
            }
        ]
    }
}
