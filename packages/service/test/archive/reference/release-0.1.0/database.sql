-- Made by release 0.1.0 (commit 17f53df): a key, its usage and a forecast of one hour.
BEGIN TRANSACTION;
CREATE TABLE forecast_runs (
        source TEXT NOT NULL,
        reference_time_ms BIGINT NOT NULL,
        first_valid_ms BIGINT NOT NULL,
        last_valid_ms BIGINT NOT NULL,
        parts BIGINT NOT NULL,
        kinds TEXT NOT NULL,
        planned_ms BIGINT NOT NULL,
        PRIMARY KEY (source, reference_time_ms)
      );
INSERT INTO "forecast_runs" VALUES('trial',1794744000000,1794747600000,1794747600000,1,'cocip.B738,contrails.default,regions.default',1794767293192);
CREATE TABLE job_dependencies (
        child TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        parent TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        PRIMARY KEY (child, parent)
      );
CREATE TABLE job_schedules (
        name TEXT NOT NULL PRIMARY KEY,
        cron TEXT NOT NULL,
        template TEXT NOT NULL,
        next_ms BIGINT NOT NULL
      );
CREATE TABLE jobs (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        priority INTEGER NOT NULL,
        payload TEXT NOT NULL,
        owner TEXT,
        run_at_ms BIGINT NOT NULL,
        pending INTEGER NOT NULL DEFAULT 0,
        attempt INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL,
        attempts_granted INTEGER NOT NULL,
        backoff_seconds INTEGER NOT NULL,
        lease_seconds REAL NOT NULL,
        lease TEXT,
        lease_until_ms BIGINT,
        progress REAL NOT NULL DEFAULT 0,
        note TEXT,
        result TEXT,
        error TEXT,
        cause TEXT,
        created_ms BIGINT NOT NULL,
        started_ms BIGINT,
        finished_ms BIGINT
      );
INSERT INTO "jobs" VALUES(1,'206aedd4-8308-8bcd-9b29-cd1b90b96b90','forecast.part','done',-5,'{"type":"B738","aircraftClass":"default","source":"trial","referenceTimeMs":1794744000000,"validTimeMs":1794747600000,"flightLevels":[270,280,290,300,310,320,330,340,350,360,370,380,390,400,410,420,430,440],"cellsPerDegree":0.25,"humidityScaling":"exponential_boost_latitude_customization","evenIfOld":false}',NULL,1794767293201,0,1,50,50,5,20.0,NULL,NULL,1.0,'contrails','{"contrails":5815,"plumeSteps":435606,"bytes":181027,"seconds":11.2}',NULL,NULL,1794767293201,1794767293202,1794767304416);
CREATE TABLE keys (
        id TEXT NOT NULL PRIMARY KEY,
        secret_sha256 TEXT NOT NULL,
        name TEXT NOT NULL,
        scopes TEXT NOT NULL,
        expires_ms BIGINT,
        rate_per_minute BIGINT NOT NULL,
        concurrency BIGINT NOT NULL,
        created_ms BIGINT NOT NULL,
        revoked_ms BIGINT
      );
INSERT INTO "keys" VALUES('ngv4e2ye','15c1332f2d16c5c4f8c563a0a37658153f4eff6081465c50cf45f4f084c37fd1','flight planning','research forecast observations inventory',NULL,1200,25,1794767288377,NULL);
CREATE TABLE migrations (id TEXT NOT NULL PRIMARY KEY, applied_ms BIGINT NOT NULL);
INSERT INTO "migrations" VALUES('catalogue-1',1794767288362);
INSERT INTO "migrations" VALUES('keys-1',1794767288362);
INSERT INTO "migrations" VALUES('jobs-1',1794767288370);
INSERT INTO "migrations" VALUES('jobs-sqlite-1',1794767288370);
INSERT INTO "migrations" VALUES('forecast-1',1794767288370);
CREATE TABLE products (
        key TEXT NOT NULL PRIMARY KEY,
        family TEXT NOT NULL,
        kind TEXT NOT NULL,
        valid_time_ms BIGINT,
        reference_time_ms BIGINT,
        attributes TEXT NOT NULL,
        sha256 TEXT NOT NULL,
        size BIGINT NOT NULL,
        created_ms BIGINT NOT NULL,
        manifest TEXT NOT NULL
      );
INSERT INTO "products" VALUES('forecast/2026-11-15T1200/2026-11-15T1300/cocip.B738.270-440.722e2524.nc','forecast','cocip.B738',1794747600000,1794744000000,'{"levels":"270,280,290,300,310,320,330,340,350,360,370,380,390,400,410,420,430,440"}','f85a3433b54313875a1cb754a794e870216c7692820c2eed868b56d3a6cf1caa',82808,1794767304415,'{"cells_per_degree":0.25,"flight_levels":[270,280,290,300,310,320,330,340,350,360,370,380,390,400,410,420,430,440],"weather":{"source":"trial","provider":"Contrails","dataset":"synthetic","product":"demonstration","generation":"synthetic-1-1-10","run":"2026-11-15T12:00:00Z"},"model":{"version":"0.1.0","settings":"722e2524"},"attributes":{"name":"cocip","aircraft_type":"B738","cocip_dt_integration":"5 minutes","cocip_max_contrail_age":"12 hours","humidity_scaling_name":"exponential_boost_latitude_customization","humidity_scaling_formula":"rhi -> (rhi / rhi_adj) ^ rhi_boost_exponent","long_name":"Energy forcing per meter of flight trajectory","units":"J / m","met_source_provider":"Contrails","met_source_dataset":"synthetic","met_source_product":"demonstration","modeling_version":"0.1.0"},"variables":[{"name":"ef_per_m","attributes":{"long_name":"Energy forcing per meter of flight trajectory","units":"J / m"},"chunks":[{"first":9344,"size":3215},{"first":12560,"size":4093},{"first":16656,"size":4762},{"first":21424,"size":5013},{"first":26440,"size":3734},{"first":30176,"size":2181},{"first":32360,"size":1743},{"first":34104,"size":1619},{"first":35728,"size":1352},{"first":37080,"size":1411},{"first":38496,"size":1462},{"first":39960,"size":1474},{"first":41440,"size":1290},{"first":42736,"size":1299},{"first":44040,"size":1184},{"first":45224,"size":1312},{"first":46536,"size":1447},{"first":47984,"size":1411}]},{"name":"contrail_age","attributes":{"long_name":"Total age in hours of persistent contrail","units":"hours","dtype":"timedelta64[ns]"},"chunks":[{"first":53056,"size":2344},{"first":55400,"size":2721},{"first":58128,"size":3055},{"first":61184,"size":3125},{"first":64312,"size":2460},{"first":66776,"size":1421},{"first":68200,"size":1202},{"first":69408,"size":1115},{"first":70528,"size":931},{"first":71464,"size":948},{"first":72416,"size":952},{"first":73368,"size":939},{"first":74312,"size":841},{"first":75160,"size":723},{"first":75888,"size":732},{"first":76624,"size":766},{"first":77392,"size":906},{"first":78304,"size":842}]}]}');
INSERT INTO "products" VALUES('forecast/2026-11-15T1200/2026-11-15T1300/contrails.default.270-440.722e2524.nc','forecast','contrails.default',1794747600000,1794744000000,'{"levels":"270,280,290,300,310,320,330,340,350,360,370,380,390,400,410,420,430,440"}','7467355106db5b185ac3c8c26c9b022056b5fc8592dd40bc6d3615a6c940fadb',33176,1794767304415,'{"cells_per_degree":0.25,"flight_levels":[270,280,290,300,310,320,330,340,350,360,370,380,390,400,410,420,430,440],"weather":{"source":"trial","provider":"Contrails","dataset":"synthetic","product":"demonstration","generation":"synthetic-1-1-10","run":"2026-11-15T12:00:00Z"},"model":{"version":"0.1.0","settings":"722e2524"},"attributes":{"aircraft_class":"default"},"variables":[{"name":"contrails","attributes":{"long_name":"Contrail forcing index","units":"","valid_min":0,"valid_max":4},"chunks":[{"first":8592,"size":1150},{"first":9744,"size":1293},{"first":11040,"size":1648},{"first":12688,"size":2035},{"first":14728,"size":1458},{"first":16192,"size":1458},{"first":17656,"size":1323},{"first":18984,"size":1178},{"first":20168,"size":1023},{"first":21192,"size":983},{"first":22176,"size":988},{"first":23168,"size":932},{"first":24104,"size":884},{"first":24992,"size":1002},{"first":26000,"size":825},{"first":26832,"size":935},{"first":27768,"size":905},{"first":28680,"size":835}]}]}');
INSERT INTO "products" VALUES('forecast/2026-11-15T1200/2026-11-15T1300/regions.default.270-440.722e2524.geojson','forecast','regions.default',1794747600000,1794744000000,'{"levels":"270,280,290,300,310,320,330,340,350,360,370,380,390,400,410,420,430,440"}','0679ad390a1b4642e9a6574eedd306251ed0882688c908802cb5e2a28de5c3bb',65043,1794767304415,'{"cells_per_degree":0.25,"flight_levels":[270,280,290,300,310,320,330,340,350,360,370,380,390,400,410,420,430,440],"weather":{"source":"trial","provider":"Contrails","dataset":"synthetic","product":"demonstration","generation":"synthetic-1-1-10","run":"2026-11-15T12:00:00Z"},"model":{"version":"0.1.0","settings":"722e2524"},"attributes":{"aircraft_class":"default"},"features":[[{"first":40,"size":461},{"first":502,"size":224},{"first":727,"size":224},{"first":952,"size":224}],[{"first":1177,"size":535},{"first":1713,"size":292},{"first":2006,"size":224},{"first":2231,"size":224}],[{"first":2456,"size":945},{"first":3402,"size":287},{"first":3690,"size":224},{"first":3915,"size":224}],[{"first":4140,"size":734},{"first":4875,"size":224},{"first":5100,"size":224},{"first":5325,"size":224}],[{"first":5550,"size":803},{"first":6354,"size":357},{"first":6712,"size":224},{"first":6937,"size":224}],[{"first":7162,"size":1447},{"first":8610,"size":622},{"first":9233,"size":382},{"first":9616,"size":292}],[{"first":9909,"size":1796},{"first":11706,"size":1195},{"first":12902,"size":755},{"first":13658,"size":541}],[{"first":14200,"size":1543},{"first":15744,"size":1096},{"first":16841,"size":894},{"first":17736,"size":700}],[{"first":18437,"size":1239},{"first":19677,"size":1284},{"first":20962,"size":935},{"first":21898,"size":669}],[{"first":22568,"size":1318},{"first":23887,"size":992},{"first":24880,"size":838},{"first":25719,"size":655}],[{"first":26375,"size":1813},{"first":28189,"size":1441},{"first":29631,"size":959},{"first":30591,"size":761}],[{"first":31353,"size":2003},{"first":33357,"size":1587},{"first":34945,"size":1338},{"first":36284,"size":905}],[{"first":37190,"size":1872},{"first":39063,"size":1629},{"first":40693,"size":1154},{"first":41848,"size":745}],[{"first":42594,"size":2053},{"first":44648,"size":1486},{"first":46135,"size":1007},{"first":47143,"size":601}],[{"first":47745,"size":1738},{"first":49484,"size":1310},{"first":50795,"size":1113},{"first":51909,"size":689}],[{"first":52599,"size":1607},{"first":54207,"size":1022},{"first":55230,"size":771},{"first":56002,"size":631}],[{"first":56634,"size":1536},{"first":58171,"size":1169},{"first":59341,"size":750},{"first":60092,"size":676}],[{"first":60769,"size":1504},{"first":62274,"size":1350},{"first":63625,"size":798},{"first":64424,"size":616}]]}');
CREATE TABLE rate_buckets (
        key_id TEXT NOT NULL PRIMARY KEY,
        credit BIGINT NOT NULL,
        updated_ms BIGINT NOT NULL
      );
CREATE TABLE slot_leases (
        key_id TEXT NOT NULL,
        owner TEXT NOT NULL,
        slots BIGINT NOT NULL,
        expires_ms BIGINT NOT NULL,
        PRIMARY KEY (key_id, owner)
      );
CREATE TABLE usage (
        key_id TEXT NOT NULL,
        day TEXT NOT NULL,
        endpoint TEXT NOT NULL,
        requests BIGINT NOT NULL,
        bytes BIGINT NOT NULL,
        compute_seconds DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (key_id, day, endpoint)
      );
INSERT INTO "usage" VALUES('ngv4e2ye','2026-11-14','/v1/regions',12,3456,0.5);
CREATE INDEX products_by_time ON products (family, kind, valid_time_ms, reference_time_ms);
CREATE INDEX jobs_queued ON jobs (priority DESC, sequence, run_at_ms, kind) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (lease_until_ms) WHERE state = 'running';
CREATE INDEX jobs_by_state ON jobs (state, sequence);
CREATE INDEX jobs_by_cause ON jobs (cause) WHERE cause IS NOT NULL;
CREATE INDEX job_dependencies_by_parent ON job_dependencies (parent);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobs',1);
COMMIT;
