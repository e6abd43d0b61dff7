/* A scripted stand-in for NVIDIA's management library, for tests without a device.
 *
 *   gcc -shared -fPIC -O1 -Wl,-soname,libnvidia-ml.so.1 -o DIR/libnvidia-ml.so.1 stub.c
 *
 * The file named by the environment variable NVML_SCRIPT is read again at every call, so
 * that a test changes it while the program runs. One setting a line, the last one wins:
 *
 *   count 2              devices (1)
 *   driver 580.65.06     version of the driver (580.00.00)
 *   init 18              what nvmlInit returns (0)
 *   ret FUNCTION 15      FUNCTION fails with this code; a device in front of it, as in
 *                        "1 ret FUNCTION 15", lets it fail for that device only
 *   hang FUNCTION        FUNCTION does not return while this line is there
 *   xid 0 79             device 0 reports this error, once for each such line
 *
 * and of a device, by number, "*" for all, or "0.1" for instance 1 of device 0:
 *
 *   0 name NVIDIA H200   to the end of the line          0 uuid GPU-1
 *   0 total 24576        MiB; also used, reserved        0 procs 4242:8600,17:-
 *   0 util 93            percent; also memutil, fan, encoder, decoder
 *   0 samples 80,90,100  record of utilization, one value each 200 ms
 *   0 power 250000       mW; also limit                  0 temp 71
 *   0 clock 1800         MHz; also maxclock              0 reasons 4
 *   0 gen 4              also width                      0 rx 1000    KiB/s; also tx
 *   0 ecc 0              uncorrected                     0 mig 2      instances (none)
 *
 * procs are PID:MiB; a dash is an amount that is not available. What an old driver does
 * not have is left out with -DNO_MEMORY_V2, -DNO_SAMPLES, -DNO_EVENTS, -DNO_PROCESSES_V3,
 * -DNO_REASONS, -DNO_INIT.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned int u32;
typedef unsigned long long u64;

enum { NOT_SUPPORTED = 3, INVALID = 2, NOT_FOUND = 6, TOO_SMALL = 7, TIMEOUT = 10, VERSION = 25 };

/* A handle is 1 + device, and for an instance 100 * (1 + instance) more. */
static const char *whose(void *d, char *out) {
  size_t h = (size_t)d - 1;
  if (h < 100) sprintf(out, "%zu", h);
  else sprintf(out, "%zu.%zu", h % 100, h / 100 - 1);
  return out;
}

/* find is the last line "WHO KEY ...", or "KEY ..." if who is NULL: what is behind it. */
static int find(const char *who, const char *key, char *out, size_t n) {
  const char *path = getenv("NVML_SCRIPT");
  FILE *f = path ? fopen(path, "r") : NULL;
  char line[8192];
  int hit = 0;
  if (!f) return 0;
  while (fgets(line, sizeof line, f)) {
    char *rest = line, *word;
    line[strcspn(line, "\n")] = 0;
    if (who) {
      word = strsep(&rest, " ");
      if (!rest || (strcmp(word, who) && strcmp(word, "*"))) continue;
    }
    if (strncmp(rest, key, strlen(key))) continue;
    rest += strlen(key);
    if (*rest && *rest != ' ') continue;
    snprintf(out, n, "%s", *rest ? rest + 1 : rest);
    hit = 1;
  }
  fclose(f);
  return hit;
}

static u64 value(void *d, const char *key, u64 otherwise) {
  char who[64], b[256];
  return find(d ? whose(d, who) : NULL, key, b, sizeof b) ? strtoull(b, NULL, 10) : otherwise;
}

/* trouble is the code with which a function has to fail. */
static int trouble(void *d, const char *function) {
  char key[160], b[256];
  snprintf(key, sizeof key, "hang %s", function);
  while (find(NULL, key, b, sizeof b)) usleep(5000);
  snprintf(key, sizeof key, "ret %s", function);
  return (int)value(NULL, key, d ? value(d, key, 0) : 0);
}

#define TRY(d) { int e = trouble(d, __func__); if (e) return e; }

#ifndef NO_INIT
int nvmlInit_v2(void) { TRY(NULL) return (int)value(NULL, "init", 0); }
#endif
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int r) { (void)r; return "an error of the stub"; }

int nvmlSystemGetDriverVersion(char *s, u32 n) {
  char b[256];
  TRY(NULL)
  snprintf(s, n, "%s", find(NULL, "driver", b, sizeof b) ? b : "580.00.00");
  return 0;
}

int nvmlDeviceGetCount_v2(u32 *n) { TRY(NULL) *n = (u32)value(NULL, "count", 1); return 0; }

int nvmlDeviceGetHandleByIndex_v2(u32 i, void **d) {
  TRY((void *)(size_t)(i + 1))
  if (i >= value(NULL, "count", 1)) return INVALID;
  *d = (void *)(size_t)(i + 1);
  return 0;
}

int nvmlDeviceGetUUID(void *d, char *s, u32 n) {
  char who[64], b[256];
  TRY(d)
  if (find(whose(d, who), "uuid", b, sizeof b)) snprintf(s, n, "%s", b);
  else snprintf(s, n, "%s-%s", strchr(who, '.') ? "MIG" : "GPU", who);
  return 0;
}

int nvmlDeviceGetName(void *d, char *s, u32 n) {
  char who[64], b[256];
  TRY(d)
  if (find(whose(d, who), "name", b, sizeof b)) snprintf(s, n, "%s", b);
  else snprintf(s, n, "NVIDIA Stub%s", strchr(who, '.') ? " MIG 1g.5gb" : "");
  return 0;
}

#define NUMBER(function, key, otherwise) \
  int function(void *d, u32 *v) { TRY(d) *v = (u32)value(d, key, otherwise); return 0; }
#define NUMBER_OF(function, key, otherwise) \
  int function(void *d, int kind, u32 *v) { TRY(d) (void)kind; *v = (u32)value(d, key, otherwise); return 0; }
#define SHARE(function, key) \
  int function(void *d, u32 *v, u32 *us) { TRY(d) *v = (u32)value(d, key, 0); *us = 1000000; return 0; }

NUMBER(nvmlDeviceGetPowerUsage, "power", 150000)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, "limit", 350000)
NUMBER(nvmlDeviceGetFanSpeed, "fan", 40)
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "gen", 4)
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "width", 16)
NUMBER_OF(nvmlDeviceGetTemperature, "temp", 60)
NUMBER_OF(nvmlDeviceGetClockInfo, "clock", 1800)
NUMBER_OF(nvmlDeviceGetMaxClockInfo, "maxclock", 2100)
SHARE(nvmlDeviceGetEncoderUtilization, "encoder")
SHARE(nvmlDeviceGetDecoderUtilization, "decoder")

int nvmlDeviceGetPcieThroughput(void *d, int kind, u32 *v) {
  TRY(d)
  *v = (u32)value(d, kind ? "rx" : "tx", 1000);
  return 0;
}

int nvmlDeviceGetTotalEccErrors(void *d, int type, int counter, u64 *v) {
  TRY(d)
  if (type != 1 || counter != 0) return INVALID; /* uncorrected, volatile */
  *v = value(d, "ecc", 0);
  return 0;
}

#ifndef NO_REASONS
int nvmlDeviceGetCurrentClocksEventReasons(void *d, u64 *v) { TRY(d) *v = value(d, "reasons", 0); return 0; }
#endif
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, u64 *v) { TRY(d) *v = value(d, "reasons", 0); return 0; }

struct memory { u64 total, free, used; };
struct memory_v2 { u32 version; u64 total, reserved, free, used; };

int nvmlDeviceGetMemoryInfo(void *d, struct memory *m) {
  TRY(d)
  m->total = value(d, "total", 24576) << 20;
  m->used = (value(d, "used", 8192) + value(d, "reserved", 300)) << 20;
  m->free = m->total - m->used;
  return 0;
}

#ifndef NO_MEMORY_V2
int nvmlDeviceGetMemoryInfo_v2(void *d, struct memory_v2 *m) {
  TRY(d)
  if (m->version != (sizeof *m | 2 << 24)) return VERSION;
  m->total = value(d, "total", 24576) << 20;
  m->used = value(d, "used", 8192) << 20;
  m->reserved = value(d, "reserved", 300) << 20;
  m->free = m->total - m->used - m->reserved;
  return 0;
}
#endif

struct rates { u32 gpu, memory; };

int nvmlDeviceGetUtilizationRates(void *d, struct rates *r) {
  TRY(d)
  r->gpu = (u32)value(d, "util", 50);
  r->memory = (u32)value(d, "memutil", 30);
  return 0;
}

#ifndef NO_SAMPLES
struct sample { u64 us; union { double d; u32 u; u64 l; } v; };

int nvmlDeviceGetSamples(void *d, int kind, u64 since, int *type, u32 *n, struct sample *out) {
  char who[64], b[4096], *save = NULL, *t;
  u32 found = 0;
  u64 at = 1000000;
  TRY(d)
  if (kind != 1) return INVALID; /* utilization of the multiprocessors */
  if (!find(whose(d, who), "samples", b, sizeof b)) return NOT_SUPPORTED;
  *type = 1; /* u32 */
  for (t = strtok_r(b, ",", &save); t; t = strtok_r(NULL, ",", &save), at += 200000) {
    if (at <= since) continue;
    if (out && found < *n) {
      out[found].us = at;
      out[found].v.u = (u32)atoi(t);
    }
    if (!out || found < *n) found++;
  }
  *n = found;
  return found ? 0 : NOT_FOUND;
}
#endif

struct process { u32 pid; u64 used; u32 gi, ci; };

/* processes gives no more than there is room for, as the driver does. */
static int processes(void *d, u32 *n, struct process *out) {
  char who[64], b[4096], *save = NULL, *t;
  u32 room = *n, found = 0;
  if (find(whose(d, who), "procs", b, sizeof b))
    for (t = strtok_r(b, ",", &save); t; t = strtok_r(NULL, ",", &save), found++) {
      char *used = strchr(t, ':');
      if (!out || found >= room) continue;
      out[found].pid = (u32)atoi(t);
      out[found].used = used && used[1] != '-' ? strtoull(used + 1, NULL, 10) << 20 : ~0ull;
      out[found].gi = out[found].ci = ~0u;
    }
  *n = found;
  return found > room ? TOO_SMALL : 0;
}

#ifndef NO_PROCESSES_V3
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, u32 *n, struct process *p) { TRY(d) return processes(d, n, p); }
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *d, u32 *n, struct process *p) { TRY(d) (void)p; *n = 0; return 0; }
#endif
int nvmlDeviceGetComputeRunningProcesses_v2(void *d, u32 *n, struct process *p) { TRY(d) return processes(d, n, p); }

int nvmlDeviceGetMigMode(void *d, u32 *now, u32 *pending) {
  TRY(d)
  if (value(d, "mig", ~0ull) == ~0ull) return NOT_SUPPORTED;
  *now = *pending = value(d, "mig", 0) > 0;
  return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(void *d, u32 *n) { TRY(d) (void)d; *n = 7; return 0; }

int nvmlDeviceGetMigDeviceHandleByIndex(void *d, u32 i, void **out) {
  TRY(d)
  if (i >= value(d, "mig", 0)) return NOT_FOUND;
  *out = (void *)((size_t)d + 100 * (size_t)(i + 1));
  return 0;
}

#ifndef NO_EVENTS
struct event { void *device; u64 type, data; u32 gi, ci; };
static u64 registered; /* devices, as bits */
static int told;       /* xid lines that were delivered */

int nvmlEventSetCreate(void **set) { TRY(NULL) *set = &registered; return 0; }
int nvmlEventSetFree(void *set) { (void)set; return 0; }

int nvmlDeviceRegisterEvents(void *d, u64 types, void *set) {
  TRY(d)
  if (types != 8 || set != &registered) return INVALID; /* Xid errors */
  registered |= 1ull << ((size_t)d - 1);
  return 0;
}

int nvmlEventSetWait_v2(void *set, struct event *e, u32 ms) {
  const char *path = getenv("NVML_SCRIPT");
  char line[256];
  u32 device, xid;
  int seen = 0;
  TRY(NULL)
  FILE *f = path ? fopen(path, "r") : NULL;
  (void)set;
  while (f && fgets(line, sizeof line, f)) {
    if (sscanf(line, "xid %u %u", &device, &xid) != 2 || seen++ < told) continue;
    told++;
    if (!(registered >> device & 1)) continue;
    fclose(f);
    memset(e, 0, sizeof *e);
    e->device = (void *)(size_t)(device + 1);
    e->type = 8;
    e->data = xid;
    return 0;
  }
  if (f) fclose(f);
  usleep(ms * 1000);
  return TIMEOUT;
}
#endif
